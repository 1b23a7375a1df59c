import { rm } from "node:fs/promises";
import { brokenCopy } from "../bugs/broken-copy.ts";
import type { Bug } from "../bugs/bug.ts";
import { loadPermitCore } from "./permit-core.ts";
import { PERMIT_PROFILES, type PermitProfile, permitPlan } from "./permit-plan.ts";
import { runPermits } from "./run-permits.ts";

/** Where a bug showed. */
export interface PermitFinding {
  readonly profile: PermitProfile;
  readonly seed: number;
  readonly rule: string;
}

/** Runs the profiles in turn, seed by seed, over core with the bug in it, until one of the first `seeds` shows it. */
export async function huntPermitBug(sources: string, bug: Bug, seeds: number): Promise<PermitFinding | undefined> {
  const folder = await brokenCopy(sources, bug);
  try {
    const core = await loadPermitCore(folder);
    for (let seed = 0; seed < seeds; seed++)
      for (const profile of PERMIT_PROFILES) {
        const [violation] = (await runPermits(core, permitPlan(seed, profile))).violations;
        if (violation) return { profile, seed, rule: violation.rule };
      }
    return undefined;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
