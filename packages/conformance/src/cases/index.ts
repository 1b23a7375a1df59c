import type { CaseDefinition } from "../case.ts";
import { activity } from "./activity.ts";
import { agreement } from "./agreement.ts";
import { arguments_ } from "./arguments.ts";
import { bucketCases } from "./buckets/index.ts";
import { budgetCases } from "./budgets/index.ts";
import { calls } from "./calls.ts";
import { capacity } from "./capacity.ts";
import { clockErrors } from "./clock-errors.ts";
import { commits } from "./commits.ts";
import { concurrency } from "./concurrency.ts";
import { damage } from "./damage.ts";
import { dataAge } from "./data-age.ts";
import { demandCases } from "./demand/index.ts";
import { entitlement } from "./entitlement.ts";
import { faults } from "./faults.ts";
import { generations } from "./generations.ts";
import { hints } from "./hints.ts";
import { incarnations } from "./incarnations.ts";
import { intervals } from "./intervals.ts";
import { isolation } from "./isolation.ts";
import { largeGroups } from "./large-groups.ts";
import { learning } from "./learning.ts";
import { levels } from "./levels.ts";
import { limitCases } from "./limits/index.ts";
import { listing } from "./listing.ts";
import { membership } from "./membership.ts";
import { pauses } from "./pauses.ts";
import { permitCases } from "./permits/index.ts";
import { ranks } from "./ranks.ts";
import { repeats } from "./repeats.ts";
import { roundTrips } from "./round-trips.ts";
import { shares } from "./shares.ts";
import { slotCases } from "./slots/index.ts";
import { staleness } from "./staleness.ts";
import { start } from "./start.ts";
import { startAfresh } from "./start-afresh.ts";
import { storeTime } from "./store-time.ts";
import { turns } from "./turns.ts";
import { wallClocks } from "./wall-clocks.ts";

/** The suite. Slow cases first: they wait while the others work. */
export const allCases: readonly CaseDefinition[] = [
  ...largeGroups,
  ...concurrency,
  ...commits,
  ...staleness,
  ...damage,
  ...storeTime,
  ...turns,
  ...wallClocks,
  ...incarnations,
  ...generations,
  ...capacity,
  ...clockErrors,
  ...shares,
  ...entitlement,
  ...start,
  ...startAfresh,
  ...learning,
  ...dataAge,
  ...agreement,
  ...ranks,
  ...repeats,
  ...levels,
  ...intervals,
  ...isolation,
  ...listing,
  ...activity,
  ...calls,
  ...arguments_,
  ...membership,
  ...hints,
  ...pauses,
  ...demandCases,
  ...slotCases,
  ...permitCases,
  ...budgetCases,
  ...bucketCases,
  ...limitCases,
  ...roundTrips,
  ...faults,
];
