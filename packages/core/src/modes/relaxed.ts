import type { Mode } from "./mode.ts";
import { UNITS_PER_STEP } from "./ramp.ts";

/** RELAXED (the default): one step up for every epoch in which tokens are asked for; a gap stalls the ramp. */
export const relaxed: Mode = () => UNITS_PER_STEP;
