import { type GroupSnapshot, isDtError, type View } from "@dt/core";

/** Everything that a comparison should have come to: what was never reached was never compared. */
export const REACHABLE = [
  ...["agree", "disagree", "fenced", "unknown", "DT_INTERVAL_MISMATCH"],
  // How raises begin (R20).
  ...["later", "in part", "at once"],
  // What members that share by demand are told (R21 to R23).
  ...["scarce", "in plenty", "reserve", "odd", "tight", "hungry"],
  // A pause of the fleet (R35).
  "paused",
] as const;

/** The same of a store that keeps stored limits: the copy is of no record, of one that counts, of one that does not. */
export const REACHABLE_LIMITS = ["copied from code", "copied from a record", "copied after a record"] as const;

export type Reached = (typeof REACHABLE)[number] | (typeof REACHABLE_LIMITS)[number];

/** What a look at a group shows of its stored limit (R36). */
export function reachedIn({ stored }: GroupSnapshot): readonly Reached[] {
  if (!stored) return [];
  const [code, record, after] = REACHABLE_LIMITS;
  return [stored.revision === 0 ? code : stored.revision > 0 ? record : after];
}

export function reachedBy(answer: unknown): readonly Reached[] {
  if (isDtError(answer)) return [answer.code as Reached];
  const view = answer as View;
  if (!("early" in view)) return [view.status];
  const { status, early, entitled, demand, capacity, pausedForMs } = view;
  const start = early === 0 ? "later" : early < entitled ? "in part" : "at once";
  const told = demand && {
    ...{ scarce: demand.waterLevel < capacity, "in plenty": demand.extra > 0, reserve: demand.reserve > 0 },
    ...{ odd: demand.odd, tight: demand.tight, hungry: demand.hungry },
  };
  const holding = Object.entries(told ?? {}).flatMap(([what, holds]) => (holds ? [what as Reached] : []));
  const paused: readonly Reached[] = pausedForMs === undefined ? [] : ["paused"];
  return [status, ...(entitled > 0 ? [start as Reached] : []), ...holding, ...paused];
}
