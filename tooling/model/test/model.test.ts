import * as ledger from "@dt/core/ledger";
import { describe, expect, it } from "vitest";
import { type Bounds, DEFAULT_BOUNDS } from "../src/bounds.ts";
import { explore } from "../src/explore/explore.ts";
import { allRules, type Setting } from "../src/world/world.ts";

function settingOf(bounds: Partial<Bounds>): Setting {
  const whole = { ...DEFAULT_BOUNDS, ...bounds };
  return { bounds: whole, ledger, flaw: undefined, rules: allRules(whole) };
}

describe("the model", () => {
  it("finds no violation in any run of two members, however long", () => {
    const found = explore(settingOf({ members: 2 }));
    expect(found).toMatchObject({ exhausted: true, violation: undefined, trace: [] });
    expect(found.states).toBeGreaterThan(10_000);
  });

  it("finds none with messages that are lost, slow, late or doubled", () => {
    const found = explore(settingOf({ members: 2, max: 3, faults: 1, late: 1, ticks: 1, from: "empty" }));
    expect(found).toMatchObject({ exhausted: true, violation: undefined });
    const kinds = ["send", "arrive", "receive", "give up", "give up, late", "late", "call, doubled", "leave, late"];
    for (const kind of [...kinds, "call, slow answer", "call, answer lost"])
      expect(found.kinds[kind] ?? 0, kind).toBeGreaterThan(0);
  });

  it("finds none among three members", () => {
    expect(explore(settingOf({ ticks: 1 }))).toMatchObject({ exhausted: true, violation: undefined });
  });

  it.each([
    { members: 2, demand: 2, max: 2, ticks: 1 },
    { members: 2, demand: 1, max: 2, ticks: 1 },
    { members: 2, demand: 1, max: 1, ticks: 1, faults: 1 },
    { members: 2, demand: 2, max: 2, ticks: 2, losses: 1 },
  ])("finds none among members that share by demand, alone and beside others: %o", (bounds) => {
    const found = explore(settingOf(bounds));
    expect(found).toMatchObject({ exhausted: true, violation: undefined });
    expect(found.states).toBeGreaterThan(1_000);
  });
});
