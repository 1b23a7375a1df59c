import type { ModeOption } from "@dt/core";
import { goDurationMs } from "../go-duration.ts";
import type { ModesSpec } from "../spec/rate-limit.ts";

/** The names of the modes, in the order in which Numaflow looks for them: the first one that is there counts. */
export const MODES = ["scheduled", "onlyIfUsed", "goBackN", "relaxed"] as const;

export type ModeName = (typeof MODES)[number];

/** Numaflow's defaults of the modes' numbers. */
export const MODE_DEFAULTS = { thresholdPercentage: 50, coolDownPeriod: "5s", rampDownPercentage: 50 } as const;

/** The mode that counts, and those that are beside it for nothing. */
export function chosenMode(modes: ModesSpec): { readonly mode: ModeName; readonly unused: readonly ModeName[] } {
  const [mode = "relaxed", ...unused] = MODES.filter((name) => modes[name] !== undefined);
  return { mode, unused };
}

/** The option `mode` of `createThrottle`. */
export function modeOption(modes: ModesSpec): ModeOption {
  const { mode } = chosenMode(modes);
  const { thresholdPercentage: threshold } = { ...MODE_DEFAULTS, ...defined(modes.onlyIfUsed) };
  if (mode === "onlyIfUsed") return { type: mode, threshold };
  if (mode !== "goBackN") return mode;
  const numbers = { ...MODE_DEFAULTS, ...defined(modes.goBackN) };
  return {
    type: mode,
    threshold: numbers.thresholdPercentage,
    coolDown: goDurationMs("coolDownPeriod", numbers.coolDownPeriod),
    rampDown: numbers.rampDownPercentage,
  };
}

/** The fields that are there. */
function defined<Fields extends object>(
  fields: Fields | undefined,
): { [Name in keyof Fields]?: NonNullable<Fields[Name]> } {
  const entries = Object.entries(fields ?? {}).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Name in keyof Fields]?: NonNullable<Fields[Name]> };
}
