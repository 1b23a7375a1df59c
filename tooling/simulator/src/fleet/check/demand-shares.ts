import type { MemberRow } from "@dt/core/ledger";
import type { World } from "../world/world.ts";
import { members } from "./liveness.ts";

/** The part of a capacity that is kept for members that want nothing: a fiftieth. */
const KEPT_PART = 50;
/** Who has so much less than it is due does not count as starving. */
const LITTLE_LESS = 1 / 16;

/**
 * What members that share by demand lack at one instant, by incarnation. Nobody where the dead are there still. (Who
 * shares evenly beside them has its part only as far as that is free. Where that part is 0, it counts as wanting one.)
 */
export function lacking(world: World): ReadonlyMap<string, string> {
  const { table } = world.store;
  const [group, rows] = [table.group(), table.members()];
  const isKnown = group && rows.length === members(world).length && rows.some(({ want }) => want !== null);
  if (!isKnown) return new Map();
  // By what the rows say, and not by what the group has counted of them.
  const level = fairLevel(group.capacity, rows);
  const ofEven = group.capacity < rows.length ? 1 : 0;
  const lacks = rows.flatMap(({ id, incarnation, want, held }): [string, string][] => {
    const due = Math.min(want ?? ofEven, level);
    const isLacking = held < due - Math.floor(due * LITTLE_LESS);
    return isLacking ? [[incarnation, `${id} wants ${want}, holds ${held} and is due ${due}`]] : [];
  });
  return new Map(lacks);
}

/** Once churn is over, nobody lacks what it is due (R21, R22) at all of these instants: that would go on. */
export function checkDemandShares(world: World, samples: readonly ReadonlyMap<string, string>[]): void {
  for (const [incarnation, lack] of samples[0] ?? [])
    if (samples.every((sample) => sample.has(incarnation)))
      world.checker.report("share", `${lack}, and ${samples.length - 1} sync intervals later still too little`);
}

/** The most that a member is due, if nobody is due more than it wants: of what those leave that share evenly. */
function fairLevel(capacity: number, rows: readonly Pick<MemberRow, "want">[]): number {
  const fair = Math.floor(capacity / rows.length);
  const wants = rows.flatMap(({ want }) => want ?? (fair === 0 ? [1] : [])).sort((a, b) => a - b);
  const evens = rows.length - wants.length;
  let left = capacity - Math.floor(capacity / KEPT_PART) - evens * fair;
  for (const [place, want] of wants.entries()) {
    const level = Math.floor(left / (wants.length - place));
    if (want > level) return Math.max(0, level);
    left -= want;
  }
  return capacity;
}
