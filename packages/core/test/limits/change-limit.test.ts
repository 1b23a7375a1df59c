import { describe, expect, it } from "vitest";
import type { LimitValues } from "../../src/contract/limit-ledger.ts";
import { changeLimit } from "../../src/limits/change-limit.ts";
import { limitRecordOf } from "../../src/limits/limit-codec.ts";
import type { LimitRecordRow } from "../../src/limits/limit-row.ts";

const set = (max: number, row?: LimitRecordRow, atMs = 0) =>
  changeLimit("group", row, { values: { max }, by: "ann" }, atMs);

describe("changeLimit", () => {
  it("makes a record, and grows its revision by 1", () => {
    const first = set(50);
    expect(limitRecordOf("group", set(40, first, 10), 20)).toEqual({
      revision: 2,
      values: { max: 40 },
      inForce: true,
      history: [
        { atMs: 10, by: "ann", from: { max: 50 }, to: { max: 40 } },
        { atMs: 0, by: "ann", to: { max: 50 } },
      ],
      storeTimeMs: 20,
    });
  });

  it("keeps a record that is removed, with why and by whom", () => {
    const row = changeLimit("group", set(50), { values: undefined, by: "bob", why: "over" }, 5);
    expect(row).toMatchObject({ revision: 2, values: null, untilMs: null });
    const record = limitRecordOf("group", row, 6);
    expect(record).not.toHaveProperty("values");
    expect(record.inForce).toBe(false);
    expect(record.history[0]).toEqual({ atMs: 5, by: "bob", from: { max: 50 }, why: "over" });
  });

  it("counts until its time is over, and not in that instant", () => {
    const row = changeLimit("group", undefined, { values: { max: 9 }, by: "ann", forMs: 100 }, 1_000);
    expect(row.untilMs).toBe(1_100);
    expect([1_099.9, 1_100].map((atMs) => limitRecordOf("group", row, atMs).inForce)).toEqual([true, false]);
  });

  it("does not count what is over as what was before", () => {
    const over = changeLimit("group", undefined, { values: { max: 9 }, by: "ann", forMs: 100 }, 0);
    const next = changeLimit("group", over, { values: { max: 8 }, by: "ann", from: { max: 70 } }, 200);
    expect(limitRecordOf("group", next, 200).history[0]).toMatchObject({ from: { max: 70 }, to: { max: 8 } });
  });

  it("keeps 20 changes, the newest first", () => {
    let row = set(1);
    for (let max = 2; max <= 30; max++) row = set(max, row, max);
    const { history, revision } = limitRecordOf("group", row, 30);
    expect(revision).toBe(30);
    expect(history.map(({ to }) => to?.["max"])).toEqual(Array.from({ length: 20 }, (_, place) => 30 - place));
  });

  it("begins a damaged history anew", () => {
    const row = set(40, { ...set(50), history: "[{}]" }, 10);
    expect(limitRecordOf("group", row, 20).history).toHaveLength(1);
  });
});

describe("changeLimit of what was learned", () => {
  const HOUR = 3_600_000;
  const learned = (values: LimitValues | undefined, atMs: number, row?: LimitRecordRow, by = "fleet") =>
    changeLimit("learned", row, { values, by }, atMs);
  const historyOf = (row: LimitRecordRow) => limitRecordOf("learned", row, 0).history;

  it("keeps the numbers that it does not name", () => {
    const row = learned({ limit: 7 }, 20, learned({ rate: 5 }, 10));
    expect(limitRecordOf("learned", row, 30)).toMatchObject({ revision: 2, values: { rate: 5, limit: 7 } });
    expect(limitRecordOf("learned", learned({ rate: 1 }, 30, learned(undefined, 25, row)), 30).values).toEqual({
      rate: 1,
    });
  });

  it("is one entry for all that one writer learned within an hour of the first", () => {
    let row = learned({ rate: 1 }, 0);
    for (const [rate, atMs] of [
      [2, 1_000],
      [3, HOUR - 1],
      [4, HOUR],
      [5, 2 * HOUR - 1],
    ] as const)
      row = learned({ rate }, atMs, row);
    expect(row.revision).toBe(5);
    expect(historyOf(row)).toEqual([
      { atMs: HOUR, by: "fleet", from: { rate: 3 }, to: { rate: 5 } },
      { atMs: 0, by: "fleet", to: { rate: 3 } },
    ]);
  });

  it("is an entry of its own after another writer's, and after a removal", () => {
    const row = learned({ rate: 2 }, 10, learned({ rate: 1 }, 0), "ann");
    const again = learned({ rate: 4 }, 40, learned(undefined, 30, learned({ rate: 3 }, 20, row)));
    expect(historyOf(again).map(({ by, from, to }) => [by, from?.["rate"], to?.["rate"]])).toEqual([
      ["fleet", undefined, 4],
      ["fleet", 3, undefined],
      ["fleet", 2, 3],
      ["ann", 1, 2],
      ["fleet", undefined, 1],
    ]);
  });
});
