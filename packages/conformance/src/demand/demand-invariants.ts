import type { MemberSnapshot, MemberView } from "@dt/core";
import { dueOf, wantOnGrid, waterLevel } from "@dt/core/ledger";
import { type Check, isCount } from "../invariants.ts";

/** What a member may use (R19): of one that shares by demand all that it holds, unless too much is held (R24). */
export function entitlementCheck({ entitled, held, demand, ...view }: MemberView): Check {
  const { sure } = dueOf(view);
  const even = Math.min(held, sure);
  const summary = `entitled is ${String(entitled)} where ${held} are held and fair is ${sure}`;
  // Where fair is 0, one that shares evenly may have a turn (R23), which the answer does not say.
  const hasTurn = sure === 0 && entitled === 1 && held > 0;
  return [entitled === even || hasTurn || (demand !== undefined && entitled === held), "R19", summary];
}

/** What must be true of every answer to a member that shares by demand. */
export function demandChecks({ demand, capacity, poolSize, status, held }: MemberView): readonly Check[] {
  if (!demand) return [];
  const { level, reserve, extra, odd, tight, hungry } = demand;
  const isScarce = level < capacity;
  const least = waterLevel({ capacity, poolSize, wants: [] }).reserve;
  const flags: readonly Check[] = Object.entries({ odd, tight, hungry }).map(([name, value]) => [
    typeof value === "boolean",
    "R22",
    `demand.${name} is ${String(value)}, not a boolean`,
  ]);
  return [
    [isCount(level, 0) && level <= capacity, "R21", `demand.level is ${String(level)}, not within 0 .. ${capacity}`],
    [
      reserve === least,
      "R21",
      `demand.reserve is ${String(reserve)}, and ${least} of ${capacity} are due to each of ${poolSize}`,
    ],
    [isCount(extra, 0), "R21", `demand.extra is ${String(extra)}, not a whole number >= 0`],
    [!isScarce || extra === 0, "R21", `demand.extra is ${extra} where the level is ${level} of ${capacity}`],
    ...flags,
    [!isScarce || tight, "R22", `demand.tight is false where the level is ${level} of ${capacity}`],
    [!hungry || tight, "R22", "demand.tight is false where demand.hungry is true"],
    [!odd || held > 0, "R23", "demand.odd is true in the answer to a member that holds nothing"],
    [status !== "agree", "R25", "the answer to a member that shares by demand is agree"],
  ];
}

/** What must be true of what a snapshot says of wants. */
export function wantCheck(members: readonly MemberSnapshot[]): Check {
  const off = members.find(({ want }) => want !== undefined && !(isCount(want, 0) && wantOnGrid(want) === want));
  return [off === undefined, "R21", `want of ${off?.id} is ${String(off?.want)}, which is not on the grid`];
}
