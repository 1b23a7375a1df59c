import { expect, test } from "vitest";
import { expectNoSecret } from "../src/expect-no-secret.ts";

const cause = (properties: object): Error =>
  new Error("outer", { cause: new Error("inner", { cause: Object.assign(new Error("innermost"), properties) }) });

test.each<readonly [where: string, shown: unknown]>([
  ["a message", new Error("wrong password pa ss")],
  ["a URL in a message", new Error("no connection to redis://:pa%20ss@host")],
  ["arguments of a command, three causes down", cause({ command: { args: ["AUTH", "pa ss"] } })],
  ["a property that is not enumerable", Object.defineProperty({}, "sent", { value: "pa ss" })],
  ["bytes", cause({ sent: Buffer.from("AUTH pa ss") })],
  ["a map", new Map([["password", "pa ss"]])],
  ["an error among several", new AggregateError([new Error("pa ss")], "all failed")],
  ["a key", { "pa ss": 1 }],
])("a secret is found in %s", (_, shown) => {
  expect(() => expectNoSecret(shown, "pa ss")).toThrow("shows the secret");
});

test("an error without it passes, and circles end", () => {
  const error: Error & { self?: unknown } = new Error("wrong password");
  error.self = error;
  expectNoSecret({ error }, "pa ss");
});

test("nothing to look at, or for, is a mistake of the test", () => {
  expect(() => expectNoSecret(undefined, "pa ss")).toThrow("nothing was handed over");
  expect(() => expectNoSecret(new Error("x"))).toThrow("no secret was named");
});
