import { conformance, conformanceCases } from "@dt/conformance";
import { expect, it } from "vitest";
import { memoryTarget } from "./support/targets.ts";

/** The names of the tests that the suite would make. */
function testsOf(filter?: string | RegExp): string[] {
  const names: string[] = [];
  const it = Object.assign((name: string) => names.push(name), { skip: (name: string) => names.push(name) });
  conformance({ describe: (_, body) => body(), it }, memoryTarget, filter === undefined ? {} : { filter });
  return names;
}

it("a test runner is given every case, or those that a filter chooses by rule and name", () => {
  expect(testsOf()).toHaveLength(conformanceCases(memoryTarget).length);
  const farewells = testsOf(/^R12 /);
  expect(farewells.length).toBeGreaterThan(2);
  expect(farewells.filter((name) => !name.startsWith("R12: "))).toEqual([]);
  expect(testsOf("R12 A FAREWELL SUCCEEDS")).toHaveLength(1);
});
