import { isDtError } from "@dt/core";
import { describe, expect, test } from "vitest";
import { parseBudget, parseSpending } from "../src/reply/budgets.ts";

const spending = ["t", "12.5", "2.5", "1", "0", "{9,-0.25}", "10", null, null];
const budget = [
  "10",
  "0",
  null,
  null,
  "10",
  "2",
  "calls",
  "10",
  "60000",
  "{0}",
  "{3}",
  "{1}",
  "5",
  "0",
  "0",
  "0",
  "",
  "",
  null,
  null,
];

function refused(parse: () => unknown): string {
  try {
    parse();
  } catch (error) {
    expect(isDtError(error, "DT_STORE_REPLY")).toBe(true);
    return (error as Error).message;
  }
  throw new Error("accepted");
}

/** The row with another value in one place. */
const but = (row: readonly unknown[], place: number, value: unknown): unknown[] => row.with(place, value);

describe("an answer to a request", () => {
  test("is read, and more columns than are known are ignored", () => {
    const answer = {
      granted: true,
      atMs: 12.5,
      waitMs: 2.5,
      limitedBy: 1,
      pausedForMs: 0,
      rests: [9, -0.25],
      storeTimeMs: 10,
    };
    expect(parseSpending([spending])).toEqual(answer);
    expect(parseSpending([[...spending, "new"]])).toEqual(answer);
    expect(parseSpending([but(spending, 3, null)])).not.toHaveProperty("limitedBy");
  });

  test("that names other terms is the refusal that names both", () => {
    expect(() => parseSpending([but(spending, 7, "slow")], "fast")).toThrow(/"slow", and this request asks for "fast"/);
  });

  test.each([
    ["nothing", undefined],
    ["no row", []],
    ["too short", [spending.slice(0, 8)]],
    ["without a truth", [but(spending, 0, "yes")]],
    ["without a time", [but(spending, 6, null)]],
    ["with an instant that is none", [but(spending, 1, "NaN")]],
    ["with rests that are one number", [but(spending, 5, "9")]],
    ["with a rest that is none", [but(spending, 5, "{9,NULL}")]],
    ["with values that were parsed", [but(spending, 5, [9])]],
  ])("that is %s is refused", (_, reply) => {
    expect(refused(() => parseSpending(reply))).toContain("a statement answered");
  });
});

describe("an inspection", () => {
  test("is read, and no row is no budget", () => {
    expect(parseBudget([budget], "b")).toEqual({
      budget: "b",
      limits: [{ name: "calls", max: 10, windowMs: 60_000, spent: 3, margin: 0 }],
      open: 2,
      pausedForMs: 0,
      storeTimeMs: 10,
    });
    expect(parseBudget([], "b")).toBeUndefined();
  });

  test.each([
    ["too short", [budget.slice(0, 19)]],
    ["without a count", [but(budget, 5, null)]],
    ["with a name that is none", [but(budget, 6, null)]],
    ["with units that are none", [but(budget, 10, "{NaN}")]],
  ])("that is %s is refused", (_, reply) => {
    expect(refused(() => parseBudget(reply, "b"))).toContain("a statement answered");
  });
});
