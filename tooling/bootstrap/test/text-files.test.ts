import { expect, it } from "vitest";
import script from "./fixtures/one.lua";

it("imports a Lua file as its text, without its comments", () => {
  expect(script).toBe("return 1\n");
});
