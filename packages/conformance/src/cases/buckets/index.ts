import type { CaseDefinition } from "../../case.ts";
import { arguments_ } from "./arguments.ts";
import { batches } from "./batches.ts";
import { calls } from "./calls.ts";
import { concurrency } from "./concurrency.ts";
import { forgetting } from "./forgetting.ts";
import { hits } from "./hits.ts";
import { holds } from "./holds.ts";
import { inspection } from "./inspection.ts";
import { isolation } from "./isolation.ts";
import { limits } from "./limits.ts";
import { outages } from "./outages.ts";
import { repeats } from "./repeats.ts";
import { reset } from "./reset.ts";
import { slots } from "./slots.ts";
import { storeTime } from "./store-time.ts";
import { storedLimits } from "./stored-limits.ts";
import { units } from "./units.ts";

/** The cases of keyed limits, K1 to K13; a store without `take` skips them. */
export const bucketCases: readonly CaseDefinition[] = [
  ...concurrency,
  ...batches,
  ...storeTime,
  ...units,
  ...holds,
  ...slots,
  ...repeats,
  ...hits,
  ...limits,
  ...storedLimits,
  ...isolation,
  ...calls,
  ...arguments_,
  ...reset,
  ...inspection,
  ...outages,
  ...forgetting,
];
