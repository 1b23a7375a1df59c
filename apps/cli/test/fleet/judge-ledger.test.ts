import type { GroupSnapshot, LimitRecord } from "@dt/core";
import { describe, expect, test } from "vitest";
import { judgeLedger } from "../../src/fleet/judge-ledger.ts";
import type { LimiterReport } from "../../src/fleet/report.ts";
import type { LedgerKind } from "../../src/stores/limiter.ts";
import { groupOf, memberOf, STORED } from "./support/snapshots.ts";

function judge(snapshot: GroupSnapshot, stored?: LimitRecord, kind: LedgerKind = "throttle"): LimiterReport {
  return judgeLedger(kind, "payments", snapshot, stored, 3_000);
}

const found = ({ findings }: LimiterReport): string[] => findings.map(({ state, code }) => `${state} ${code}`);
const texts = ({ findings }: LimiterReport): string[] => findings.map(({ text }) => text);

const [one, two] = [memberOf("web-1"), memberOf("web-2")];

describe("a throttle", () => {
  test.each<[string, GroupSnapshot, LimitRecord | undefined, string[]]>([
    ["that is half used", groupOf([one, two]), undefined, []],
    [
      "that is used up",
      groupOf([memberOf("a", { used: 60 }), memberOf("b", { used: 40 })]),
      undefined,
      ["limited binds"],
    ],
    [
      "that is nearly used up, with callers that wait",
      groupOf([memberOf("a", { used: 40, waiting: 3 }), memberOf("b", { used: 40 })]),
      undefined,
      ["limited binds"],
    ],
    ["that is nearly used up", groupOf([memberOf("a", { used: 50 }), memberOf("b", { used: 49 })]), undefined, []],
    [
      "with callers that wait for what others do not use",
      groupOf([memberOf("a", { used: 50, waiting: 9 }), memberOf("b", { used: 0 })]),
      undefined,
      ["limited waiting", "ok idle"],
    ],
    ["with a silent member", groupOf([one, memberOf("b", { silentMs: 3_000 })]), undefined, ["attention silent"]],
    ["with one that is nearly silent", groupOf([one, memberOf("b", { silentMs: 2_999 })]), undefined, []],
    ["with a fenced member", groupOf([one, memberOf("b", { fenced: true })]), undefined, ["attention fenced"]],
    ["whose members differ", groupOf([one, memberOf("b", { max: 150 })]), undefined, ["attention unequal"]],
    ["whose row counts others", groupOf([one], { memberCount: 1_000_000 }), undefined, ["attention miscounted"]],
    ["with a limit in the store", groupOf([one, two]), STORED, ["attention in-vain"]],
    ["with one that it uses", groupOf([one, two], { stored: { revision: 1, values: { max: 50 } } }), STORED, []],
    ["with one that does not count", groupOf([one, two]), { ...STORED, inForce: false }, []],
    ["that no process uses, with a limit in the store", groupOf([]), STORED, ["ok unused"]],
    ["that is paused", groupOf([one, two], { pausedForMs: 1_500 }), undefined, ["limited paused"]],
    [
      "that is paused, with callers that wait",
      groupOf([memberOf("a", { waiting: 3 }), two], { pausedForMs: 1_500 }),
      undefined,
      ["limited paused"],
    ],
    ["that learns", groupOf([one, two], { learning: true }), undefined, ["ok learning"]],
    [
      "that learns, with callers that wait",
      groupOf([memberOf("a", { waiting: 3 }), two], { learning: true }),
      undefined,
      ["limited learning"],
    ],
    ["whose members adopt a change", groupOf([one, two], { adopted: 1 }), undefined, ["ok agreeing"]],
    [
      "whose members share by demand, and adopt nothing",
      groupOf([memberOf("a", { want: 30 }), memberOf("b", { want: 20 })], { adopted: 0 }),
      undefined,
      [],
    ],
    ["with an idle member", groupOf([one, memberOf("b", { used: 0 })]), undefined, ["ok idle"]],
    ["whose members report nothing", groupOf([unknown("a"), unknown("b")]), undefined, []],
    ["without members", groupOf([]), undefined, ["ok unused"]],
  ])("%s", (_, snapshot, stored, expected) => {
    const report = judge(snapshot, stored);
    expect(found(report)).toEqual(expected);
    expect(report.state).toBe(expected[0]?.split(" ")[0] ?? "ok");
  });

  test("has its worst findings first, and says what matters of each", () => {
    const report = judge(
      groupOf([
        memberOf("a", { used: 90, waiting: 30, held: 80 }),
        memberOf("b", { used: 10, silentMs: 4_200, held: 20 }),
        memberOf("c", { used: 0, held: 0 }),
      ]),
    );
    expect(texts(report)).toEqual([
      "member b silent for 4.2 s, holds 20 tokens",
      "limited by tokens: 100 of 100/s used, 30 tokens waited for",
      "1 of 3 members idle",
    ]);
    expect(report.findings[0]).toMatchObject({ member: "b" });
    expect(report).toMatchObject({ waiting: 30, generation: 7, pausedForMs: 0 });
    expect(report.limits).toEqual([
      { name: "tokens", max: 100, windowMs: 1_000, used: 100, utilization: 1, binds: true },
    ]);
  });

  test("names the members that hold most, and counts the others", () => {
    const members = Array.from({ length: 1_000 }, (_, i) => memberOf(`web-${i}`, { silentMs: 60_000, held: i }));
    const report = judge(groupOf(members, { capacity: 1_000_000 }));
    expect(report.findings).toHaveLength(6);
    expect(texts(report)[0]).toBe("member web-999 silent for 60 s, holds 999 tokens");
    expect(texts(report)[5]).toBe("995 more members silent");
  });

  test("knows nothing of what is not reported, as on etcd", () => {
    const report = judge(groupOf([unknown("a"), unknown("b")]));
    expect(report.limits).toMatchObject([{ used: null, utilization: null, binds: false }]);
    expect(report).not.toHaveProperty("waiting");
    expect(report.members).toMatchObject([{ used: null, waiting: null, want: null, state: "active" }, {}]);
  });

  test("of a million members by a damaged row is judged by those that are there", () => {
    const report = judge(groupOf([one, two], { memberCount: 1_000_000 }));
    expect(report.members?.map(({ evenShare }) => evenShare)).toEqual([50, 50]);
    expect(texts(report)[0]).toContain("its row counts 1,000,000 members, and 2 are there");
  });
});

describe("a semaphore", () => {
  const slots = (used: number, waiting: number, held = 50) => memberOf("a", { used, waiting, held, want: 60 });
  test.each<[string, GroupSnapshot, string[]]>([
    ["whose slots are in use, with callers that wait", groupOf([slots(100, 4)]), ["limited binds"]],
    ["whose slots are in use", groupOf([slots(100, 0)]), []],
    ["with callers that wait for free slots", groupOf([slots(40, 4)]), ["limited waiting"]],
    ["whose limit came down", groupOf([slots(40, 0, 120)]), ["limited over"]],
  ])("%s", (_, snapshot, expected) => {
    const report = judge(snapshot, undefined, "semaphore");
    expect(found(report)).toEqual(expected);
    expect(report.limits).toMatchObject([{ name: "slots", windowMs: null, binds: expected[0] === "limited binds" }]);
  });
});

function unknown(id: string) {
  const { used: _, waiting: __, ...rest } = memberOf(id);
  return rest;
}
