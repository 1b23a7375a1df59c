import * as ledger from "@dt/core/ledger";
import { describe, expect, it } from "vitest";
import { type Bounds, DEFAULT_BOUNDS } from "../src/bounds.ts";

import { StateTable } from "../src/explore/state-table.ts";
import { steps } from "../src/world/actions.ts";
import { Codec } from "../src/world/codec.ts";
import { firstWorlds } from "../src/world/first-worlds.ts";
import { allRules, type Setting, type World } from "../src/world/world.ts";

function settingOf(bounds: Partial<Bounds>): Setting {
  const whole = { ...DEFAULT_BOUNDS, ...bounds };
  return { bounds: whole, ledger, flaw: undefined, rules: allRules(whole) };
}

/** The states that begin a tick, as text. */
function statesAtTicks(bounds: Partial<Bounds>): Set<string> {
  const setting = settingOf(bounds);
  const codec = new Codec(setting);
  const table = new StateTable();
  const found = new Set<string>();
  for (const world of firstWorlds(setting)) table.add(codec.encode(world), -1, 0);
  for (let index = 0; index < table.size; index++)
    steps(codec.decode(table.at(index)), setting, (kind, next) => {
      const bytes = codec.encode(next);
      if (kind === "tick") found.add(Buffer.from(bytes).toString("latin1"));
      table.add(bytes, index, 0);
    });
  return found;
}

describe("the shortcuts of the model", () => {
  it.each([
    { members: 2, ticks: 2 },
    { members: 2, ticks: 1, demand: 1, max: 1 },
    { members: 2, ticks: 1, faults: 1, from: "agreed" },
    { members: 2, ticks: 1, late: 1, from: "empty" },
    { members: 2, ticks: 1, idle: true },
  ] as const)("reaches by joined steps what it reaches by every interleaving: %o", (bounds) => {
    const joined = statesAtTicks(bounds);
    expect(joined.size).toBeGreaterThan(50);
    expect(joined).toEqual(statesAtTicks({ ...bounds, naive: true }));
  });

  it.each([0, 1])("puts a state back as it was, with %i that share by demand", (demand) => {
    const setting = settingOf({ members: 2, demand, faults: 1, late: 1, ticks: 2 });
    const codec = new Codec(setting);
    const seen = new Set<string>();
    const walk = (world: World, depth: number): void =>
      steps(world, setting, (_, next) => {
        const bytes = codec.encode(next).slice();
        const back = codec.decode(bytes);
        expect(Buffer.compare(codec.encode(back), bytes)).toBe(0);
        const text = Buffer.from(bytes).toString("latin1");
        if (depth > 1 && seen.size !== seen.add(text).size) walk(codec.decode(bytes), depth - 1);
      });
    for (const world of firstWorlds(setting)) walk(world, 2);
  });
});

describe("the table of states", () => {
  it("knows every state it was given, and gives it back", () => {
    const table = new StateTable();
    const stateOf = (value: number): Uint8Array => Uint8Array.from([value & 255, value >> 8, 7]);
    for (let value = 0; value < 200_000; value += 7) expect(table.add(stateOf(value & 0xffff), -1, 0)).not.toBe(-2);
    const size = new Set(Array.from({ length: Math.ceil(200_000 / 7) }, (_, index) => (index * 7) & 0xffff)).size;
    expect(table.size).toBe(size);
    expect(table.add(stateOf(7), -1, 0)).toBe(-1);
    expect([...table.at(1)]).toEqual([7, 0, 7]);
  });
});
