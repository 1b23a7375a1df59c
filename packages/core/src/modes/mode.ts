import { UNITS_PER_STEP } from "./ramp.ts";

/** What happened since the ramp last moved: the last epoch in which tokens were asked for, and how long ago it was. */
export interface Activity {
  /** Tokens used then: granted minus deposited. */
  readonly used: number;
  /** Whole tokens this member could have granted then; 0 counts as fully used. */
  readonly offered: number;
  /** Epochs since then, >= 1. */
  readonly elapsed: number;
}

/**
 * A mode: by how many units the level moves (see `ramp.ts`), from what happened; it is then kept within the ramp. Pure:
 * no clock, no I/O. Source: Numaflow design, section "Throttling Modes".
 */
export type Mode = (activity: Activity) => number;

/** A mode's settings, in milliseconds and percent, validated. */
export type ModeSettings =
  | { readonly type: "scheduled" }
  | { readonly type: "relaxed" }
  | { readonly type: "onlyIfUsed"; readonly threshold: number }
  | {
      readonly type: "goBackN";
      readonly threshold: number;
      /** One interval where it is undefined. */
      readonly coolDownMs: number | undefined;
      readonly rampDown: number;
    };

/** The mode that the settings describe, for epochs of this length. */
export function createMode(settings: ModeSettings, intervalMs: number): Mode {
  switch (settings.type) {
    case "scheduled":
      return scheduled;
    case "relaxed":
      return relaxed;
    case "onlyIfUsed":
      return onlyIfUsed(settings.threshold);
    case "goBackN":
      return goBackN(settings.threshold, (settings.coolDownMs ?? intervalMs) / intervalMs, settings.rampDown);
  }
}

/** SCHEDULED: one step up for every epoch that passed since the first request, used or not. */
const scheduled: Mode = ({ elapsed }) => elapsed * UNITS_PER_STEP;

/** RELAXED (the default): one step up for every epoch in which tokens are asked for; a gap stalls the ramp. */
const relaxed: Mode = () => UNITS_PER_STEP;

/** ONLY_IF_USED: one step up when the last active epoch used at least `threshold` percent of what was offered. */
function onlyIfUsed(threshold: number): Mode {
  return (activity) => (reaches(threshold, activity) ? UNITS_PER_STEP : 0);
}

/**
 * GO_BACK_N: a step up when the last active epoch used at least `threshold` percent, else a step down; and when more
 * than `coolDownEpochs` passed, `rampDown` percent of a step down for each epoch missed in between. The whole is
 * clamped once, as the Numaflow design's table "with gaps" has it (80, then 70 and 60 while nobody calls): at the top,
 * where the step up leads nowhere, it makes up for the first missed epoch.
 */
function goBackN(threshold: number, coolDownEpochs: number, rampDown: number): Mode {
  const unitsPerMissedEpoch = Math.round((rampDown / 100) * UNITS_PER_STEP);
  return (activity) => {
    const step = reaches(threshold, activity) ? UNITS_PER_STEP : -UNITS_PER_STEP;
    const missed = activity.elapsed > coolDownEpochs ? activity.elapsed - 1 : 0;
    return step - missed * unitsPerMissedEpoch;
  };
}

/**
 * True when `used` of `offered` tokens reach `threshold` percent. Multiplied out, so that 55 of 110 is exactly 50 %.
 */
function reaches(threshold: number, activity: Activity): boolean {
  return activity.offered === 0 || activity.used * 100 >= threshold * activity.offered;
}
