import { rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { brokenCopy } from "../src/bugs/broken-copy.ts";
import type { Bug } from "../src/bugs/bug.ts";
import { huntPermitBug } from "../src/permits/hunt-permit-bug.ts";
import { PERMIT_BUGS } from "../src/permits/permit-bugs.ts";
import { loadPermitCore } from "../src/permits/permit-core.ts";
import { type PermitProfile, permitPlan } from "../src/permits/permit-plan.ts";
import { runPermits } from "../src/permits/run-permits.ts";

const sources = fileURLToPath(new URL("../../../packages/core/src", import.meta.url));

/** Seeds that found a fault once. */
const FOUND: Partial<Record<PermitProfile, readonly number[]>> = {
  // A request in line, granted late for a caller who had left, was taken for one of another cost.
  // The instant of an answer that was repeated counted from the repetition.
  storm: [1859, 15345],
};

describe("worlds of pacers", () => {
  it.each<[PermitProfile, number, string]>([
    ["clean", 50, "leave nothing reserved, in line, waiting or ticking when nothing fails"],
    ["storm", 150, "use no permit early, late or twice whatever fails, and hang nobody"],
    ["busy", 20, "give each process its part of the rate, and lose nothing of it"],
  ])("%s: %i seeds %s", async (profile, seeds) => {
    const core = await loadPermitCore(sources);
    let granted = 0;
    for (const seed of [...Array(seeds).keys(), ...(FOUND[profile] ?? [])]) {
      const run = await runPermits(core, permitPlan(seed, profile));
      expect(run.violations, `${profile} ${seed}`).toEqual([]);
      granted += run.granted;
    }
    expect(granted).toBeGreaterThan(seeds * 10);
  });

  it("go the same way twice", async () => {
    const core = await loadPermitCore(sources);
    const once = await runPermits(core, permitPlan(7, "storm"));
    expect(await runPermits(core, permitPlan(7, "storm"))).toEqual(once);
  });

  it("have more than twenty bugs to show, and each has its place in core as it is now", async () => {
    expect(new Set(PERMIT_BUGS.map(({ name }) => name)).size).toBeGreaterThan(20);
    for (const bug of PERMIT_BUGS) await rm(await brokenCopy(sources, bug), { recursive: true });
  });

  // The others take longer: `node tooling/sim/src/permits/main.ts --bugs` looks for all of them.
  it.each([
    "early",
    "any-lane",
    "gives-back-one-too-few",
    "gives-back-one-too-many",
    "forgets-lost-replies",
    "forgets-lost-attempts",
    "stays-in-line",
    "beyond-the-bound",
    "retry-once",
    "no-line",
  ])("show the bug %s", async (name) => {
    const bug = PERMIT_BUGS.find((one) => one.name === name) as Bug;
    expect(await huntPermitBug(sources, bug, 60)).toBeDefined();
  });
});
