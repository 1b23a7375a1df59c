import { describe, expect, it } from "vitest";
import { Roster } from "../src/members/roster.ts";

const SETTLE_MS = 10;
const names = (text: string): ReadonlySet<string> => new Set(text);

describe("the fleet as it counts", () => {
  it("grows at once", () => {
    const roster = new Roster();
    roster.observe(names("ab"), 0, SETTLE_MS);
    roster.observe(names("abc"), 5, SETTLE_MS);
    expect(roster.count(5, SETTLE_MS, "c")).toEqual({ memberCount: 3, rank: 2, changedAtMs: 5 });
  });

  it("shrinks when a name was missing for the settle time, counted from the first answer without it", () => {
    const roster = new Roster();
    roster.observe(names("ab"), 0, SETTLE_MS);
    roster.observe(names("b"), 5, SETTLE_MS);
    roster.observe(names("b"), 8, SETTLE_MS);
    expect(roster.count(14, SETTLE_MS, "b")).toEqual({ memberCount: 2, rank: 1, changedAtMs: 0 });
    expect(roster.count(15, SETTLE_MS, "b")).toEqual({ memberCount: 1, rank: 0, changedAtMs: 15 });
  });

  it("does not change while an answer flaps", () => {
    const roster = new Roster();
    roster.observe(names("abc"), 0, SETTLE_MS);
    for (let nowMs = 1; nowMs < 100; nowMs++) {
      roster.observe(nowMs % 9 === 0 ? names("abc") : names("a"), nowMs, SETTLE_MS);
      expect(roster.count(nowMs, SETTLE_MS, "a")).toEqual({ memberCount: 3, rank: 0, changedAtMs: 0 });
    }
  });

  it("counts both, the one that left and the one that came instead", () => {
    const roster = new Roster();
    roster.observe(names("ab"), 0, SETTLE_MS);
    roster.observe(names("bc"), 1, SETTLE_MS);
    expect(roster.count(1, SETTLE_MS, "c").memberCount).toBe(3);
    expect(roster.count(11, SETTLE_MS, "c").memberCount).toBe(2);
  });

  it("gives a name that came back after it ceased to count as a change", () => {
    const roster = new Roster();
    roster.observe(names("ab"), 0, SETTLE_MS);
    roster.observe(names("a"), 1, SETTLE_MS);
    expect(roster.observe(names("ab"), 30, SETTLE_MS)).toBe(true);
    expect(roster.count(30, SETTLE_MS, "b")).toEqual({ memberCount: 2, rank: 1, changedAtMs: 30 });
  });

  it("gives the same ranks to everybody, by code units and not by a language", () => {
    const roster = new Roster();
    const all = ["web-10", "web-2", "Web-3", "äb", "10.0.0.9", "10.0.0.10"];
    roster.observe(new Set(all), 0, SETTLE_MS);
    const ranks = all.map((name) => roster.count(0, SETTLE_MS, name).rank);
    expect([...ranks].sort()).toEqual([0, 1, 2, 3, 4, 5]);
    expect(ranks).toEqual([3, 4, 2, 5, 1, 0]);
    expect(roster.count(0, SETTLE_MS, "somebody else").rank).toBeUndefined();
  });

  it("tells whether an answer is news", () => {
    const roster = new Roster();
    expect(roster.observe(names("ab"), 0, SETTLE_MS)).toBe(true);
    expect(roster.observe(names("ba"), 1, SETTLE_MS)).toBe(false);
    expect(roster.observe(names("a"), 2, SETTLE_MS)).toBe(true);
    expect(roster.observe(names("a"), 3, SETTLE_MS)).toBe(false);
    expect(roster.observe(names("ab"), 4, SETTLE_MS)).toBe(true);
  });
});
