import { expect, it } from "vitest";
import script from "./fixtures/one.lua";

it("imports a Lua file as its text", () => {
  expect(script).toBe("-- Inputs: none. Output: 1. Cost: O(1).\nreturn 1\n");
});
