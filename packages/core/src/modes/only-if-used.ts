import { type Mode, reaches } from "./mode.ts";
import { UNITS_PER_STEP } from "./ramp.ts";

/** ONLY_IF_USED: one step up when the last active epoch used at least `threshold` percent of what was offered. */
export function onlyIfUsed(threshold: number): Mode {
  return (position, activity, top) =>
    reaches(threshold, activity) ? Math.min(top, position + UNITS_PER_STEP) : position;
}
