import { describe, expect, it } from "vitest";
import type { StoredCopy } from "../../src/contract/limit-ledger.ts";
import type { LimitRecordHead } from "../../src/limits/limit-row.ts";
import { limitStateOf } from "../../src/limits/limit-state.ts";
import { storedValue } from "../../src/limits/stored-value.ts";

const record = (revision: number, max: number | null, untilMs: number | null = null): LimitRecordHead => ({
  revision,
  values: max === null ? null : JSON.stringify({ max }),
  untilMs,
});

/** The rows of the example of L4: what the copy is after each request. */
it("gives the numbers of L4", () => {
  const set = record(1, 50, 1_200);
  const removed = record(2, null);
  const rows: readonly (readonly [atMs: number, head: LimitRecordHead | undefined, code: number, StoredCopy])[] = [
    [0, undefined, 100, { revision: 0, values: { max: 100 } }],
    [100, undefined, 300, { revision: 0, values: { max: 100 } }],
    [300, set, 100, { revision: 1, values: { max: 50 } }],
    [1_300, set, 300, { revision: -1, values: { max: 300 } }],
    [1_400, set, 100, { revision: -1, values: { max: 300 } }],
    [1_600, removed, 100, { revision: -2, values: { max: 100 } }],
  ];
  let copy: StoredCopy | undefined;
  for (const [atMs, head, code, expected] of rows) {
    copy = storedValue("group", copy, head, { max: code }, atMs);
    expect(copy, `at ${atMs}`).toEqual(expected);
  }
});

describe("storedValue", () => {
  it("is the same object, and reads no values, while the state is the same", () => {
    const copy: StoredCopy = { revision: 3, values: { max: 5 } };
    expect(storedValue("group", copy, { revision: 3, values: "no JSON", untilMs: null }, { max: 9 }, 0)).toBe(copy);
  });

  it("leaves numbers that the record does not name as the code has them", () => {
    const head = { revision: 1, values: '{"everyMs":20}', untilMs: null };
    const { values } = storedValue("permits", undefined, head, { everyMs: 10, burst: 4 }, 0);
    expect(values).toEqual({ everyMs: 20, burst: 4 });
  });

  it.each([
    ["group", '{"max":0}'],
    ["group", '{"max":1.5}'],
    ["group", '{"max":5,"min":1}'],
    ["group", "[]"],
    ["group", "nonsense"],
    ["permits", '{"burst":2}'],
    ["permits", '{"everyMs":-1}'],
    ["permits", '{"everyMs":"5"}'],
    ["budget", "{}"],
    ["budget", '{"tokens":"many"}'],
    ["keyed", '{"max":5}'],
  ] as const)("refuses damaged values of %s: %s", (kind, values) => {
    const read = () => storedValue(kind, undefined, { revision: 1, values, untilMs: null }, { max: 9 }, 0);
    expect(read).toThrow(expect.objectContaining({ code: "DT_STORE_DATA" }));
  });
});

describe("limitStateOf", () => {
  it.each([
    [undefined, 0],
    [record(4, 5), 4],
    [record(4, null), -4],
    [record(4, 5, 1_001), 4],
    [record(4, 5, 1_000), -4],
  ] as const)("is one number for each state of a record", (head, state) => {
    expect(limitStateOf(head, 1_000)).toBe(state);
  });
});
