import { describe, expect, test } from "vitest";
import { History, KEPT_CHARACTERS, KEPT_MARKS } from "../../src/console/history.ts";
import { type Hello, KEPT_FRAMES, MOST_FINDINGS, MOST_LIMITERS, MOST_SHOWN } from "../../src/console/protocol.ts";
import type { LimiterReport } from "../../src/fleet/report.ts";
import { member, report, throttle } from "./support/reports.ts";

function keptOf(history: History): Pick<Hello, "frames" | "marks"> {
  return JSON.parse(`{${history.json()}}`);
}

function shownOf(history: History, limiter: LimiterReport): readonly string[] {
  return history.add(report(0, [limiter])).limiters[0]?.members?.shown.map(({ id }) => id) ?? [];
}

describe("a frame", () => {
  test("shows the members that hold and use most, and sums the rest", () => {
    const members = Array.from({ length: 1_000 }, (_, i) => member(`m${i}`, { held: i, used: 1, waiting: 1 }));
    const frame = new History().add(report(0, [throttle("mail", { members })]));
    const shown = frame.limiters[0]?.members?.shown ?? [];
    expect(shown.map(({ id }) => id)).toEqual(Array.from({ length: MOST_SHOWN }, (_, i) => `m${999 - i}`));
    expect(frame.limiters[0]?.members).toMatchObject({
      count: 1_000,
      rest: { count: 988, held: (987 * 988) / 2, used: 988, waiting: 988 },
    });
  });

  test("does not know what no member reports", () => {
    const members = Array.from({ length: 14 }, (_, i) => member(`m${i}`, { used: null, waiting: null }));
    const frame = new History().add(report(0, [throttle("mail", { members })]));
    expect(frame.limiters[0]?.members?.rest).toEqual({ count: 2, held: 20, used: null, waiting: null });
  });

  test("shows those that want attention first where there are many limiters, in their own order", () => {
    const limiters = Array.from({ length: 500 }, (_, i) =>
      throttle(`t${i}`, { state: i === 400 ? "attention" : i === 300 ? "limited" : "ok" }),
    );
    const { limiters: kept, more } = new History().add(report(0, limiters));
    expect({ kept: kept.length, more }).toEqual({ kept: MOST_LIMITERS, more: 500 - MOST_LIMITERS });
    expect(kept.slice(-2).map(({ name }) => name)).toEqual(["t300", "t400"]);
  });

  test("stays small, whatever the store claims", () => {
    const wild = "\u0001<script>".repeat(110);
    const members = Array.from({ length: 50_000 }, (_, i) => member(`${wild}${i}`));
    const finding = { state: "attention", code: "silent", text: wild.repeat(50) } as const;
    const limits = Array.from({ length: 1_000 }, (_, i) => ({
      ...{ name: `${i}`, max: 1, windowMs: null, used: null, utilization: null, binds: false },
    }));
    const hostile = Array.from({ length: 50 }, (_, i) =>
      throttle(`${wild}${i}`, {
        members: i === 0 ? members : members.slice(0, 20),
        limits,
        findings: Array.from({ length: 100 }, () => finding),
      }),
    );
    const frame = new History().add({ ...report(0, hostile), verdict: wild.repeat(1_000) });
    expect(frame.limiters[0]?.findings.length).toBeLessThanOrEqual(MOST_FINDINGS);
    expect(JSON.stringify(frame).length).toBeLessThan(60_000);
  });

  test("keeps names of any kind as they are", () => {
    const names = ["__proto__", "<img src=x onerror=alert(1)>", "a\u202eb", 'quote"'];
    const frame = new History().add(
      report(
        0,
        names.map((name) => throttle(name, { members: [member(name)] })),
      ),
    );
    const { limiters } = JSON.parse(JSON.stringify(frame));
    expect(
      limiters.map(({ name, members }: LimiterReport & { members: { shown: { id: string }[] } }) => [
        name,
        members.shown[0]?.id,
      ]),
    ).toEqual(names.map((name) => [name, name]));
  });

  test("of a store that is away has the limiters of the one before, and no marks", () => {
    const history = new History();
    expect(history.fail(0, "it is away")).toBeUndefined();
    history.add(report(0, []));
    history.add(report(1_000, [throttle("mail", { members: [member("a")] })]));
    const failed = history.fail(2_000, "it is away");
    expect(failed).toMatchObject({ atMs: 2_000, error: "it is away", storeMs: null, state: "attention", marks: [] });
    expect(failed?.limiters.map(({ name }) => name)).toEqual(["mail"]);
    expect(history.add(report(3_000, []))).not.toHaveProperty("error");
  });
});

describe("members that are shown", () => {
  const fleet = (held: readonly number[]): LimiterReport =>
    throttle("mail", { members: held.map((tokens, i) => member(`m${i}`, { held: tokens, used: 0 })) });

  test("stay where others have as much", () => {
    const history = new History();
    const first = shownOf(history, fleet(Array.from({ length: 40 }, () => 10)));
    for (let i = 0; i < 50; i++) {
      const held = Array.from({ length: 40 }, (_, rank) => 10 + ((rank + i) % 2));
      expect(shownOf(history, fleet(held))).toEqual(first);
    }
  });

  test("give way to one that has clearly more, and the others stay in their places", () => {
    const history = new History();
    const first = shownOf(history, fleet(Array.from({ length: 40 }, () => 10)));
    const later = Array.from({ length: 40 }, (_, rank) => (rank === 39 ? 100 : 10));
    let shown = first;
    for (let i = 0; i < 100 && !shown.includes("m39"); i++) shown = shownOf(history, fleet(later));
    expect(shown).toContain("m39");
    expect(shown.filter((id) => first.includes(id))).toEqual(first.filter((id) => shown.includes(id)));
    expect(shown).toHaveLength(MOST_SHOWN);
  });

  test("that have left make room", () => {
    const history = new History();
    const before = throttle("mail", { members: Array.from({ length: 14 }, (_, i) => member(`m${i}`)) });
    const [gone = "", ...others] = shownOf(history, before);
    const after = { ...before, members: before.members?.filter(({ id }) => id !== gone) ?? [] };
    const shown = shownOf(history, after);
    expect(shown.slice(0, MOST_SHOWN - 1)).toEqual(others);
    expect(shown).toHaveLength(MOST_SHOWN);
  });
});

describe("what is kept", () => {
  test("are the last frames; only the newest has findings and keys", () => {
    const history = new History();
    const finding = { state: "ok", code: "idle", text: "1 of 2 members idle" } as const;
    for (let i = 0; i <= KEPT_FRAMES + 10; i++) history.add(report(i, [throttle("mail", { findings: [finding] })]));
    const { frames } = keptOf(history);
    expect(frames).toHaveLength(KEPT_FRAMES);
    expect(frames.map(({ atMs }) => atMs)).toEqual(Array.from({ length: KEPT_FRAMES }, (_, i) => i + 11));
    expect(frames.map(({ limiters }) => limiters[0]?.findings.length)).toEqual([
      ...Array.from({ length: KEPT_FRAMES - 1 }, () => 0),
      1,
    ]);
  });

  test("is bounded in characters and in marks", () => {
    const history = new History();
    const limiters = Array.from({ length: 60 }, (_, i) =>
      throttle(`${"n".repeat(100)}${i}`, { members: Array.from({ length: 12 }, (_, at) => member(`${i}-${at}`)) }),
    );
    for (let i = 0; i < 150; i++)
      history.add(report(i, i % 2 === 0 ? limiters : limiters.map((each) => ({ ...each, members: [] }))));
    expect(history.json().length).toBeLessThan(KEPT_CHARACTERS + KEPT_MARKS * 1_000 + 100_000);
    const { frames, marks } = keptOf(history);
    expect(frames.length).toBeLessThan(150);
    expect(marks).toHaveLength(KEPT_MARKS);
    expect(frames.at(-1)?.atMs).toBe(149);
  });
});
