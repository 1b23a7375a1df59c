import { type Mode, reaches } from "./mode.ts";
import { UNITS_PER_STEP } from "./ramp.ts";

/** ONLY_IF_USED: one step up when the last active epoch used at least `threshold` percent of what was offered. */
export function onlyIfUsed(threshold: number): Mode {
  return (activity) => (reaches(threshold, activity) ? UNITS_PER_STEP : 0);
}
