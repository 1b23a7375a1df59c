import { inspect } from "node:util";
import { expect, it } from "vitest";
import { discreet } from "../../src/errors/discreet.ts";

it("a driver's error is shown without what the driver was given, its causes too", () => {
  const cause = Object.assign(new Error("WRONGPASS"), { command: { args: ["AUTH", "s3cret"] } });
  const error = Object.assign(new Error("no connection", { cause }), { code: "ECONN", request: "s3cret" });
  const shown = discreet(error);
  expect(inspect(shown, { depth: 12, showHidden: true })).not.toContain("s3cret");
  expect(shown).toMatchObject({ message: "no connection", code: "ECONN", cause: { message: "WRONGPASS" } });
});

it("causes that lead back to themselves come to an end", () => {
  const error = new Error("around");
  error.cause = error;
  expect(discreet(error).message).toBe("around");
});
