import { expect, test } from "vitest";
import { rateText, timeText } from "../../src/fleet/amounts.ts";
import { nameText } from "../../src/fleet/name-text.ts";
import type { Finding, LimiterReport, State } from "../../src/fleet/report.ts";
import { verdictOf } from "../../src/fleet/verdict.ts";

function limiter(name: string, findings: [State, string][] = [], more: Partial<LimiterReport> = {}): LimiterReport {
  const all = findings.map(([state, text]): Finding => ({ state, code: text === "idle" ? "idle" : "binds", text }));
  return {
    kind: "throttle",
    name,
    state: findings[0]?.[0] ?? "ok",
    findings: all,
    limits: [],
    pausedForMs: 0,
    ...more,
  };
}

const limited = limiter("mail", [
  ["limited", "limited by tokens"],
  ["ok", "idle"],
]);
const damaged = limiter("calls", [["attention", "cannot be read"]]);

test.each<[string, LimiterReport[], string]>([
  ["nothing", [], "the store keeps nothing of any limiter"],
  ["one", [limiter("mail")], "mail: not used up"],
  ["one that is idle", [limiter("mail", [["ok", "idle"]])], "mail: idle"],
  ["two", [limiter("mail"), limiter("calls")], "2 limiters, none is used up"],
  ["one that is limited", [limiter("calls"), limited], "mail: limited by tokens; idle"],
  ["the worst first", [limited, damaged], "calls: cannot be read; 1 other limiter is limited"],
  [
    "how many others there are",
    [limited, damaged, { ...damaged }, { ...damaged }, limited],
    "calls: cannot be read; 2 other limiters need attention; 2 other limiters are limited",
  ],
  [
    "its kind, where names are the same",
    [limited, limiter("mail", [], { kind: "pacer" })],
    "throttle mail: limited by tokens; idle",
  ],
  ["a name that is a sentence", [limiter("a: b", [["ok", "idle"]])], '"a: b": idle'],
])("the verdict on %s", (_, limiters, expected) => {
  expect(verdictOf(limiters)).toBe(expected);
});

test("a member stands for others that have the same", () => {
  const member = { held: 0, evenShare: 0, max: 1, used: 0, waiting: 0, want: 0, silentMs: 4_000, why: "" };
  const members = ["a", "b", "c"].map((id) => ({ ...member, id, state: id === "c" ? "idle" : "silent" }) as const);
  const silent: Finding = { state: "attention", code: "silent", text: "member a silent for 4 s", member: "a" };
  const report = limiter("mail", [], { state: "attention", findings: [silent, { ...silent, member: "b" }], members });
  expect(verdictOf([report])).toBe("mail: member a silent for 4 s, and 1 more");
});

test.each([
  [100, 1_000, "100/s"],
  [0.5, 60_000, "0.5/min"],
  [1, 100, "10/s"],
  [30, 250, "120/s"],
  [1, 300, "1 per 300 ms"],
  [7, 90_000, "7 per 90 s"],
  [30, null, "30"],
])("%d units in %s ms are %s", (max, windowMs, expected) => {
  expect(rateText(max, windowMs)).toBe(expected);
});

test.each([
  [0, "0 s"],
  [4_230, "4.2 s"],
  [9_960, "10 s"],
  [119_000, "119 s"],
  [300_000, "5 min"],
  [7_200_000, "2 h"],
])("%d ms are %s", (ms, expected) => {
  expect(timeText(ms)).toBe(expected);
});

test("names are shown short, and quoted where they are not plain", () => {
  expect(nameText("web-2-ab12")).toBe("web-2-ab12");
  expect(nameText("<b>bold</b>")).toBe('"<b>bold</b>"');
  expect(nameText("")).toBe('""');
  expect(nameText("a\nb")).toBe('"a\\nb"');
  expect(nameText("x".repeat(1_024))).toHaveLength(60);
});
