import type { LimitRecord } from "@dt/core";
import { describe, expect, test } from "vitest";
import { MOST_MARKS, marksBetween } from "../../src/console/marks.ts";
import type { LimiterReport, MemberReport } from "../../src/fleet/report.ts";
import { member, report, throttle } from "./support/reports.ts";

function marks(before: LimiterReport[], after: LimiterReport[], betweenMs = 1_000) {
  return marksBetween(report(1_000, before), report(1_000 + betweenMs, after)).map(({ what, text }) => [what, text]);
}

const of = (...members: MemberReport[]): LimiterReport[] => [throttle("mail", { members })];
const silent = (id: string): MemberReport => member(id, { state: "silent", silentMs: 4_000 });

describe("members", () => {
  test("of the first report have not joined", () => {
    expect(marksBetween(undefined, report(0, of(member("a"))))).toEqual([]);
  });

  test("join and leave", () => {
    expect(marks(of(member("a")), of(member("b")))).toEqual([
      ["leave", "a left"],
      ["join", "b joined"],
    ]);
  });

  test("fall silent once, come back, and crash where they were silent", () => {
    expect(marks(of(member("a")), of(silent("a")))).toEqual([["silent", "a fell silent"]]);
    expect(marks(of(silent("a")), of(silent("a")))).toEqual([]);
    expect(marks(of(silent("a")), of(member("a")))).toEqual([]);
    expect(marks(of(silent("a")), of())).toEqual([
      ["crash", "a was removed: it had been silent, as a process that crashed"],
    ]);
  });

  test("that went while the store was not read may have left or crashed", () => {
    const [[what, text] = []] = marks(of(member("a")), of(), 10_000);
    expect([what, text]).toEqual(["leave", "a went while the store was not read: left or crashed"]);
  });

  test("that are many are one mark", () => {
    const many = Array.from({ length: 1_000 }, (_, i) => member(`m${i}`));
    expect(marks(of(), of(...many))).toEqual([["join", "1000 members joined"]]);
  });

  test("of a damaged row have not left, nor joined when it is mended", () => {
    const damaged = [throttle("mail", { error: { code: "DT_STORE_DATA", message: "no number" }, limits: [] })];
    expect(marks(of(member("a")), damaged)).toEqual([["damage", "cannot be read: no number"]]);
    expect(marks(damaged, damaged)).toEqual([]);
    expect(marks(damaged, of(member("a")))).toEqual([]);
  });

  test("of a limiter that could not be read in time are not damaged", () => {
    const late = [throttle("mail", { error: { code: "DT_STORE_TIMEOUT", message: "late" }, limits: [] })];
    expect(marks(of(member("a")), late)).toEqual([]);
  });

  test("whose ids are those of an object's properties are like all others", () => {
    expect(marks(of(member("__proto__")), of(member("constructor")))).toEqual([
      ["leave", "__proto__ left"],
      ["join", "constructor joined"],
    ]);
  });
});

describe("limits", () => {
  const record = (revision: number, max: number | undefined, why?: string, inForce = true): LimitRecord => ({
    ...{ revision, inForce: inForce && max !== undefined, storeTimeMs: 0 },
    ...(max !== undefined && { values: { max } }),
    history: [
      {
        ...{ atMs: 0, by: "ann@ops-1", from: { max: 100 } },
        ...(max !== undefined && { to: { max } }),
        ...(why !== undefined && { why }),
      },
    ],
  });
  const limited = (max: number, stored?: LimitRecord): LimiterReport[] => {
    const tokens = { name: "tokens", max, windowMs: 1_000, used: null, utilization: null, binds: false };
    return [throttle("mail", { limits: [tokens], ...(stored && { stored }) })];
  };

  test("that were set say by whom and why, once", () => {
    const after = limited(100, record(1, 50, "the provider is slow"));
    expect(marks(limited(100), after)).toEqual([
      ["limit", "the limit was set to max 50 (was 100) by ann@ops-1: the provider is slow"],
    ]);
    expect(marks(after, limited(50, record(1, 50)))).toEqual([]);
  });

  test("that were removed, and whose time is over", () => {
    expect(marks(limited(50, record(1, 50)), limited(50, record(2, undefined)))).toEqual([
      ["limit", "the stored limit was removed by ann@ops-1"],
    ]);
    expect(marks(limited(50, record(1, 50)), limited(50, record(1, 50, undefined, false)))).toEqual([
      ["limit", "the time of the stored limit is over: the code's value counts again"],
    ]);
  });

  test("that a member declares", () => {
    expect(marks(limited(100), limited(80))).toEqual([["limit", "the limit changed, tokens: 100 -> 80"]]);
    expect(marks(limited(50, record(1, 50)), limited(20, record(1, 50)))).toEqual([
      ["limit", "the limit changed, tokens: 50 -> 20"],
    ]);
  });
});

test("a pause has a beginning and an end", () => {
  const [running, paused] = [[throttle("mail")], [throttle("mail", { pausedForMs: 2_500 })]];
  expect(marks(running, paused)).toEqual([["pause", "paused for 2.5 s"]]);
  expect(marks(paused, paused)).toEqual([]);
  expect(marks(paused, running)).toEqual([["pause", "the pause is over"]]);
});

test("marks of one step are bounded", () => {
  const all = (members: MemberReport[]) => Array.from({ length: 500 }, (_, i) => throttle(`t${i}`, { members }));
  expect(marks(all([]), all([member("a")]))).toHaveLength(MOST_MARKS);
});
