import type { GroupSnapshot, MemberSnapshot } from "@dt/core";
import type { LedgerKind } from "../stores/limiter.ts";
import type { MemberState } from "./report.ts";

/** What is true of a group as a whole, found out once for all of its members. */
export interface GroupFacts {
  readonly kind: LedgerKind;
  readonly snapshot: GroupSnapshot;
  /** What members hold: a `token` or a `slot`. */
  readonly unit: "token" | "slot";
  /** The part of each member where all have the same, rounded down. */
  readonly even: number;
  /** True where no member shares by demand. */
  readonly isEven: boolean;
  /** What members used and wait for together, of those that report it; null where none does. */
  readonly used: number | null;
  readonly waiting: number | null;
  /** Members that use nothing. */
  readonly idle: number;
  /** What silent and fenced members hold together. */
  readonly heldInSilence: number;
  /** Of members that declare a limit, the one with the smallest; undefined where none declares one. */
  readonly lowest: { readonly id: string; readonly max: number } | undefined;
  /** The largest limit that a member declares; 0 where none does. */
  readonly highestMax: number;
  readonly pausedForMs: number;
  stateOf(member: MemberSnapshot): MemberState;
}

/** @param silentAfterMs a member that reported nothing for so long counts as silent */
export function groupFacts(kind: LedgerKind, snapshot: GroupSnapshot, silentAfterMs: number): GroupFacts {
  const { capacity, members, pausedForMs = 0 } = snapshot;
  const stateOf = (member: MemberSnapshot): MemberState => memberState(member, silentAfterMs);
  const states = new Map(members.map((member) => [member, stateOf(member)]));
  const declared = members.flatMap(({ id, max }) => (max === null ? [] : [{ id, max }]));
  const gone = members.filter((member) => states.get(member) === "silent" || member.fenced);
  return {
    kind,
    snapshot,
    unit: kind === "throttle" ? "token" : "slot",
    even: members.length === 0 ? 0 : Math.floor(capacity / members.length),
    isEven: members.every(({ want }) => want === undefined),
    used: sumOf(members.map(({ used }) => used)),
    waiting: sumOf(members.map(({ waiting }) => waiting)),
    idle: members.filter((member) => states.get(member) === "idle").length,
    heldInSilence: gone.reduce((sum, { held }) => sum + held, 0),
    lowest: declared.reduce<(typeof declared)[number] | undefined>(
      (least, one) => (least === undefined || one.max < least.max ? one : least),
      undefined,
    ),
    highestMax: declared.reduce((most, { max }) => Math.max(most, max), 0),
    pausedForMs,
    stateOf,
  };
}

function memberState({ fenced, silentMs, used, waiting }: MemberSnapshot, silentAfterMs: number): MemberState {
  if (fenced) return "fenced";
  if (silentMs >= silentAfterMs) return "silent";
  return used === 0 && (waiting ?? 0) === 0 ? "idle" : "active";
}

function sumOf(amounts: readonly (number | undefined)[]): number | null {
  const known = amounts.filter((amount) => amount !== undefined);
  return known.length === 0 ? null : known.reduce((sum, amount) => sum + amount, 0);
}
