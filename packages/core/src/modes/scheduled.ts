import type { Mode } from "./mode.ts";
import { UNITS_PER_STEP } from "./ramp.ts";

/** SCHEDULED: one step up for every epoch that passed, used or not. */
export const scheduled: Mode = (position, { elapsed }, top) => Math.min(top, position + elapsed * UNITS_PER_STEP);
