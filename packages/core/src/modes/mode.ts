import { goBackN } from "./go-back-n.ts";
import { onlyIfUsed } from "./only-if-used.ts";
import { relaxed } from "./relaxed.ts";
import { scheduled } from "./scheduled.ts";

/** What happened since the ramp last moved: the last epoch in which tokens were asked for, and how long ago it was. */
export interface Activity {
  /** Tokens used then: granted minus deposited. */
  readonly used: number;
  /** Whole tokens this processor could have granted then; 0 counts as fully used. */
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

/**
 * True when `used` of `offered` tokens reach `threshold` percent. Multiplied out, so that 55 of 110 is exactly 50 %.
 */
export function reaches(threshold: number, activity: Activity): boolean {
  return activity.offered === 0 || activity.used * 100 >= threshold * activity.offered;
}
