import type { CaseDefinition } from "../../case.ts";
import { arguments_ } from "./arguments.ts";
import { atomicity } from "./atomicity.ts";
import { bound } from "./bound.ts";
import { calls } from "./calls.ts";
import { hints } from "./hints.ts";
import { inspection } from "./inspection.ts";
import { isolation } from "./isolation.ts";
import { listing } from "./listing.ts";
import { longest } from "./longest.ts";
import { order } from "./order.ts";
import { outages } from "./outages.ts";
import { pauses } from "./pauses.ts";
import { queue } from "./queue.ts";
import { release } from "./release.ts";
import { repeats } from "./repeats.ts";
import { reset } from "./reset.ts";
import { spacing } from "./spacing.ts";
import { storeTime } from "./store-time.ts";
import { storedLimit } from "./stored-limit.ts";
import { terms } from "./terms.ts";

/** The cases of the permit contract (P1 to P16): they run when the store keeps permits. */
export const permitCases: readonly CaseDefinition[] = [
  ...atomicity,
  ...queue,
  ...storeTime,
  ...spacing,
  ...bound,
  ...order,
  ...repeats,
  ...release,
  ...terms,
  ...longest,
  ...reset,
  ...inspection,
  ...listing,
  ...pauses,
  ...storedLimit,
  ...isolation,
  ...calls,
  ...arguments_,
  ...hints,
  ...outages,
];
