import type { CaseDefinition } from "../../case.ts";
import { arguments_ } from "./arguments.ts";
import { atomicity } from "./atomicity.ts";
import { bound } from "./bound.ts";
import { calls } from "./calls.ts";
import { hints } from "./hints.ts";
import { isolation } from "./isolation.ts";
import { order } from "./order.ts";
import { outages } from "./outages.ts";
import { queue } from "./queue.ts";
import { release } from "./release.ts";
import { repeats } from "./repeats.ts";
import { spacing } from "./spacing.ts";
import { storeTime } from "./store-time.ts";

/** The cases of the permit contract (P1 to P9): they run when the store keeps permits. */
export const permitCases: readonly CaseDefinition[] = [
  ...atomicity,
  ...queue,
  ...storeTime,
  ...spacing,
  ...bound,
  ...order,
  ...repeats,
  ...release,
  ...isolation,
  ...calls,
  ...arguments_,
  ...hints,
  ...outages,
];
