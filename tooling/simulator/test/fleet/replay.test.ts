import { describe, expect, it } from "vitest";
import { planOf } from "../../src/fleet/plan/generate.ts";
import { PROFILES } from "../../src/fleet/plan/plan.ts";
import { runPlan } from "../../src/fleet/soak/run-seed.ts";
import { Trace } from "../../src/fleet/world/trace.ts";

async function digestOf(seed: number, profile: (typeof PROFILES)[number]): Promise<string> {
  const trace = new Trace();
  await runPlan(planOf(seed, profile), { trace });
  return trace.digest;
}

describe("replay", () => {
  it.each(PROFILES)("the same seed of %s gives the same trace, line by line", async (profile) => {
    for (const seed of [1, 2, 3]) expect(await digestOf(seed, profile)).toBe(await digestOf(seed, profile));
  });

  it("another seed gives another trace", async () => {
    expect(await digestOf(1, "atomic")).not.toBe(await digestOf(2, "atomic"));
  });

  it("a trace that differs in one character has another digest", () => {
    const one = new Trace();
    const other = new Trace();
    one.add(1, "p0#1 grants 5 in 7");
    other.add(1, "p0#1 grants 6 in 7");
    expect(one.digest).not.toBe(other.digest);
  });
});
