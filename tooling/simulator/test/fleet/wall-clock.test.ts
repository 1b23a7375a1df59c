import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { Bug } from "../../src/fleet/bugs/bug.ts";
import { changeNamed } from "../../src/fleet/bugs/catalogue.ts";
import { planOf } from "../../src/fleet/plan/generate.ts";
import type { Plan } from "../../src/fleet/plan/plan.ts";
import { Scenario } from "../../src/fleet/scenario.ts";
import { runPlan } from "../../src/fleet/soak/run-seed.ts";
import { Trace } from "../../src/fleet/world/trace.ts";

const MINUTE_MS = 60_000;
const YEAR_MS = 365 * 86_400_000;

/** What a wall clock shows, in turn: every look at it is a step, back or forth, as if somebody set it all the time. */
const ABUSES: Readonly<Record<string, (looks: number) => number>> = {
  "a year behind": (looks) => 1.8e12 - YEAR_MS + looks,
  "a year ahead": (looks) => 1.8e12 + YEAR_MS + looks,
  "standing still": () => 1.8e12,
  "running backwards": (looks) => 1.8e12 - 1_000 * looks,
  "jumping about": (looks) => 1.8e12 + (looks % 2 === 0 ? -1 : 1) * looks * MINUTE_MS,
};

function setWallClock(show: (looks: number) => number): void {
  let looks = 0;
  vi.spyOn(Date, "now").mockImplementation(() => show(looks++));
}

afterEach(() => {
  vi.restoreAllMocks();
});

/** What a seed comes to, grant by grant. */
async function digestOf(plan: Plan): Promise<string> {
  const trace = new Trace();
  await runPlan(plan, { trace });
  return trace.digest;
}

/**
 * Ten minutes of a fleet in which somebody joins, leaves or crashes all the time; `everyMinute` sets the wall clock.
 */
async function tenMinutes(
  everyMinute: (minute: number) => void,
  bug?: Bug,
): Promise<{ digest: string; violations: number }> {
  const trace = new Trace();
  const scenario = new Scenario({}, { seed: 7, trace, bug });
  for (const name of ["a", "b", "c"]) scenario.join(name);
  for (let minute = 0; minute < 10; minute++) {
    everyMinute(minute);
    await scenario.pass(20_000);
    scenario.happen({ kind: "join", member: `m${minute}`, caller: "greedy" });
    await scenario.pass(20_000);
    scenario.happen({ kind: minute % 2 === 0 ? "stop" : "crash", member: `m${minute}`, restartAfterMs: null });
    await scenario.pass(20_000);
  }
  return { digest: trace.digest, violations: scenario.violations.length };
}

describe("the wall clock of a worker", () => {
  const runs = (["atomic", "storm"] as const).flatMap((profile) =>
    [1, 2, 3, 4, 5].map((seed) => ({ plan: planOf(seed, profile), untouched: "" })),
  );
  beforeAll(async () => {
    for (const run of runs) run.untouched = await digestOf(run.plan);
  });

  it.each(Object.keys(ABUSES))("%s changes nothing: every seed goes as it did, grant by grant", async (abuse) => {
    for (const { plan, untouched } of runs) {
      setWallClock(ABUSES[abuse] as (looks: number) => number);
      expect(await digestOf(plan)).toBe(untouched);
      vi.restoreAllMocks();
    }
  });

  it("stepped every minute, an hour back and then two forward, changes nothing in ten minutes of joins, leaves and crashes", async () => {
    const untouched = await tenMinutes(() => {});
    const stepped = await tenMinutes((minute) =>
      setWallClock((looks) => 1.8e12 + (minute % 2 === 0 ? -60 : 120) * MINUTE_MS + looks),
    );
    expect(stepped).toEqual(untouched);
    expect(untouched.violations).toBe(0);
  });

  it("would be noticed: a core that counts epochs on it breaks its promise at once", async () => {
    setWallClock(ABUSES["jumping about"] as (looks: number) => number);
    expect((await tenMinutes(() => {}, changeNamed("epochs-by-wall-clock"))).violations).toBeGreaterThan(0);
  });
});
