import * as ledger from "@dt/core/ledger";
import { type Ended, runSource } from "@dt-tooling/backends/source-process";
import { describe, expect, it } from "vitest";
import type { Found } from "../src/explore/walk.ts";
import { DEFAULT_SEMAPHORE_BOUNDS, type SemaphoreBounds } from "../src/semaphore/bounds.ts";
import { exploreSlots } from "../src/semaphore/explore.ts";
import { parseSlotOptions } from "../src/semaphore/options.ts";
import { type SLOT_TRAPS, slotTrapsNamed, springSlots } from "../src/semaphore/traps.ts";
import { allSlotRules, type SlotViolation } from "../src/semaphore/world.ts";

function explored(given: Partial<SemaphoreBounds>): Found<SlotViolation> {
  const bounds = { ...DEFAULT_SEMAPHORE_BOUNDS, ...given };
  return exploreSlots({ bounds, ledger, flaw: undefined, rules: allSlotRules(bounds) });
}

describe("the model of a semaphore", () => {
  it("finds no state with more calls in flight than max, and sees slots handed over by hints", () => {
    const found = explored({ ticks: 0, slow: 0 });
    expect(found).toMatchObject({ exhausted: true, violation: undefined, trace: [] });
    for (const kind of ["begin", "end", "wait", "call", "offer", "ask"])
      expect(found.kinds[kind] ?? 0, kind).toBeGreaterThan(100);
  });

  it.each([
    { ticks: 1, slow: 1, faults: 1, waiters: 0 },
    { ticks: 0, slow: 1, late: 1, waiters: 0 },
    { ticks: 2, slow: 0, restarts: 1, waiters: 0 },
    { ticks: 0, slow: 0, leaves: 2, late: 1, waiters: 0 },
    { ticks: 2, slow: 0, max: 2, waiters: 0 },
    { ticks: 2, slow: 1, waiters: 0, queue: false },
    { ticks: 2, slow: 0, losses: 1, waiters: 0 },
  ])("finds none where messages are lost, late or doubled, data are lost, or processes come and go: %o", (bounds) => {
    const found = explored(bounds);
    expect(found).toMatchObject({ exhausted: true, violation: undefined });
    expect(found.states).toBeGreaterThan(500);
  });

  it.each(["lowered-with-the-answer", "begun-beyond-held", "reported-below-running", "ended-claim-used"])(
    "finds the trap %s",
    (name) => {
      const [trap] = slotTrapsNamed([name]);
      const { caught, steps, trace, detail } = springSlots(trap as (typeof SLOT_TRAPS)[number]);
      expect({ caught, detail }).toEqual({ caught: true, detail: "2 of 1 in flight" });
      expect(trace).toHaveLength(steps ?? 0);
    },
  );

  it("has a command that prints one JSON object, explains itself, and refuses what it does not know", async () => {
    const main = new URL("../src/main.ts", import.meta.url);
    const model = (...args: string[]): Promise<Ended> => runSource(main, "semaphore", ...args);
    const { code, stdout, stderr } = await model(
      "--ticks",
      "0",
      "--waiters",
      "0",
      "--traps",
      "begun-beyond-held",
      "--json",
    );
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ violations: 0, traps: [{ name: "begun-beyond-held", caught: true }] });
    expect(stderr).toMatch(/no violation; \d+ states, \d+ transitions, depth \d+, exhausted/);
    expect(stderr).toContain("2. A begins a call");
    expect((await model("--help")).stdout).toContain("Usage: npm run -s model -- semaphore");
    expect(() => parseSlotOptions(["--max", "many"])).toThrow(/--max is "many"; give a whole number from 1 to 9/);
    expect(() => slotTrapsNamed(["x"])).toThrow(/--traps has "x"; give some of any-offer-taken, /);
  });
});
