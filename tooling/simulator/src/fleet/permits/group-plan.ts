import { Random } from "../../random.ts";
import { type PermitPlan, permitPlan } from "./permit-plan.ts";

/** A world of several sites; `everyMs` is the total's. */
export interface GroupPlan extends PermitPlan {
  readonly sites: readonly {
    readonly name: string;
    readonly weight: number;
    readonly outages: PermitPlan["outages"];
  }[];
  readonly stealAfterMs: number;
}

/** The plan of a seed: that of one store, with the outages of each site its own. */
export function groupPlan(seed: number, profile: "clean" | "storm"): GroupPlan {
  const plan = permitPlan(seed, profile);
  const random = new Random(seed, `sites ${profile}`);
  const sites = ["eu", "us", "ap"].slice(0, random.integer(2, 3)).map((name, i) => ({
    name,
    weight: random.pick([1, 1, 2, 5]),
    outages: plan.outages.filter((_, j) => (i + j) % 2 === 0),
  }));
  return { ...plan, sites, stealAfterMs: random.pick([0, plan.everyMs, plan.everyMs * 10]) };
}

/** What one site's part is, seen as a world of its own. */
export function sitePlan(plan: GroupPlan, name: string): PermitPlan {
  const total = plan.sites.reduce((sum, { weight }) => sum + weight, 0);
  const { weight, outages } = plan.sites.find((site) => site.name === name) as GroupPlan["sites"][number];
  // One for each, and what is left by weight, rounded in somebody's favour.
  const burst = 1 + Math.ceil((Math.max(0, plan.burst - plan.sites.length) * weight) / total);
  return { ...plan, everyMs: (plan.everyMs * total) / weight, burst, outages };
}
