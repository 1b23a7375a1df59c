import { describe, expect, test } from "vitest";
import { filtered, sorted, windowOf } from "../../../src/console/page/rows.ts";

describe("sorting", () => {
  const rows = [
    { id: "b", value: 2 },
    { id: "a", value: null },
    { id: "c", value: 2 },
    { id: "d", value: 1 },
  ];
  const ids = (descending: boolean) => sorted(rows, ({ value }) => value, descending).map(({ id }) => id);

  test("what is not known comes last, either way, and equal rows keep their order", () => {
    expect(ids(false)).toEqual(["d", "b", "c", "a"]);
    expect(ids(true)).toEqual(["b", "c", "d", "a"]);
    expect(rows.map(({ id }) => id)).toEqual(["b", "a", "c", "d"]);
  });

  test("numbers in names count as numbers", () => {
    expect(sorted(["w-10", "w-9", "W-1"], (name) => name, false)).toEqual(["W-1", "w-9", "w-10"]);
  });
});

test("a filter wants every word, in any letter case", () => {
  const rows = ["throttle payments", "pacer mail", "throttle mail"];
  expect(filtered(rows, (row) => row, " MAIL  thr ")).toEqual(["throttle mail"]);
  expect(filtered(rows, (row) => row, "  ")).toBe(rows);
});

describe("the rows that are drawn", () => {
  test("are those in sight and a few more", () => {
    expect(windowOf(10_000, 34, 3_400, 340)).toEqual({ from: 92, to: 118 });
  });

  test("end with the table", () => {
    expect(windowOf(5, 34, 0, 800)).toEqual({ from: 0, to: 5 });
    expect(windowOf(0, 34, 0, 800)).toEqual({ from: 0, to: 0 });
    // The table was filtered while it was scrolled far down.
    expect(windowOf(3, 34, 300_000, 800)).toEqual({ from: 2, to: 3 });
  });
});
