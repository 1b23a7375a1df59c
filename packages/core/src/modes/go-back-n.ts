import { type Mode, reaches } from "./mode.ts";
import { UNITS_PER_STEP } from "./ramp.ts";

/**
 * GO_BACK_N: a step up when the last active epoch used at least `threshold` percent, else a step down; and when more
 * than `coolDownEpochs` passed, `rampDown` percent of a step down for each epoch missed in between. The whole is
 * clamped once, as the Numaflow design's table "with gaps" has it (80, then 70 and 60 while nobody calls): at the top,
 * where the step up leads nowhere, it makes up for the first missed epoch.
 */
export function goBackN(threshold: number, coolDownEpochs: number, rampDown: number): Mode {
  const unitsPerMissedEpoch = Math.round((rampDown / 100) * UNITS_PER_STEP);
  return (activity) => {
    const step = reaches(threshold, activity) ? UNITS_PER_STEP : -UNITS_PER_STEP;
    const missed = activity.elapsed > coolDownEpochs ? activity.elapsed - 1 : 0;
    return step - missed * unitsPerMissedEpoch;
  };
}
