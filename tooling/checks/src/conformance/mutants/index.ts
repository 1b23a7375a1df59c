import { type CaseFailure, type Rule, runConformance } from "@dt/conformance";
import { activityMutants } from "./activity-mutants.ts";
import { agreementMutants } from "./agreement-mutants.ts";
import { bucketMutants } from "./buckets/index.ts";
import { budgetMutants } from "./budgets/index.ts";
import { callMutants } from "./call-mutants.ts";
import { damageMutants } from "./damage-mutants.ts";
import { demandMutants } from "./demand/index.ts";
import { entitlementMutants } from "./entitlement-mutants.ts";
import type { Mutant } from "./flaw.ts";
import { generationMutants } from "./generation-mutants.ts";
import { groupPauseMutants } from "./group-pause-mutants.ts";
import { isolationMutants } from "./isolation-mutants.ts";
import { limitMutants } from "./limits/index.ts";
import { listingMutants } from "./listing-mutants.ts";
import { membershipMutants } from "./membership-mutants.ts";
import { permitCallMutants } from "./permits/call-mutants.ts";
import { inspectionMutants } from "./permits/inspection-mutants.ts";
import { orderMutants } from "./permits/order-mutants.ts";
import { pauseMutants } from "./permits/pause-mutants.ts";
import { queueMutants } from "./permits/queue-mutants.ts";
import { releaseMutants } from "./permits/release-mutants.ts";
import { resetMutants } from "./permits/reset-mutants.ts";
import { spacingMutants } from "./permits/spacing-mutants.ts";
import { storedLimitMutants } from "./permits/stored-limit-mutants.ts";
import { termsMutants } from "./permits/terms-mutants.ts";
import { repeatMutants } from "./repeat-mutants.ts";
import { shareMutants } from "./share-mutants.ts";
import { simulatedTarget } from "./simulated-target.ts";
import { slotMutants } from "./slots/index.ts";
import { stalenessMutants } from "./staleness-mutants.ts";
import { startAfreshMutants } from "./start-afresh-mutants.ts";
import { startMutants } from "./start-mutants.ts";
import { timeMutants } from "./time-mutants.ts";
import { inVirtualTime } from "./virtual-time.ts";

export type { BucketFlaw, TakeAtServer } from "./bucket-flaw.ts";
export type { BudgetFlaw, SpendAtServer } from "./budget-flaw.ts";
export type { Flaw, Mutant, Operation, Proceed, Simulated } from "./flaw.ts";
export type { LimitFlaw, LimitWrite } from "./limit-flaw.ts";
export type { PermitFlaw, PermitOperationAtServer } from "./permit-flaw.ts";

/** Deliberately broken stores. The suite is good for as much as it rejects of them. */
export const mutants: readonly Mutant[] = [
  ...timeMutants,
  ...membershipMutants,
  ...stalenessMutants,
  ...generationMutants,
  ...shareMutants,
  ...entitlementMutants,
  ...startMutants,
  ...startAfreshMutants,
  ...agreementMutants,
  ...repeatMutants,
  ...damageMutants,
  ...isolationMutants,
  ...demandMutants,
  ...slotMutants,
  ...listingMutants,
  ...activityMutants,
  ...groupPauseMutants,
  ...callMutants,
  ...spacingMutants,
  ...orderMutants,
  ...releaseMutants,
  ...queueMutants,
  ...termsMutants,
  ...resetMutants,
  ...inspectionMutants,
  ...pauseMutants,
  ...storedLimitMutants,
  ...permitCallMutants,
  ...budgetMutants,
  ...limitMutants,
  ...bucketMutants,
];

/** What the suite made of a mutant. */
export interface MutantVerdict {
  readonly mutant: string;
  /** The rule that it breaks. */
  readonly rule: Rule;
  /** The first case that failed with that rule; undefined when none did. */
  readonly rejectedBy: string | undefined;
  readonly failures: readonly CaseFailure[];
}

/**
 * Runs the suite against a mutant, in virtual time: first the cases about the rule that it breaks, and the others only
 * when these do not reject it.
 */
export async function judge(mutant: Mutant): Promise<MutantVerdict> {
  const failures: CaseFailure[] = [];
  for (const filter of [new RegExp(`^${mutant.rule} `), new RegExp(`^(?!${mutant.rule} )`)]) {
    const report = await inVirtualTime((runtime) =>
      runConformance(simulatedTarget(mutant.name, runtime, mutant.flaw), { filter }),
    );
    failures.push(...report.failures);
    if (failures.some((failure) => failure.rule === mutant.rule)) break;
  }
  return {
    mutant: mutant.name,
    rule: mutant.rule,
    rejectedBy: failures.find((failure) => failure.rule === mutant.rule)?.case,
    failures,
  };
}
