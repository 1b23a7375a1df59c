import { describe, expect, it } from "vitest";
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
