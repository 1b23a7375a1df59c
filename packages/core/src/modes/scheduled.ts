import type { Mode } from "./mode.ts";
import { UNITS_PER_STEP } from "./ramp.ts";

/** SCHEDULED: one step up for every epoch that passed since the first request, used or not. */
export const scheduled: Mode = ({ elapsed }) => elapsed * UNITS_PER_STEP;
