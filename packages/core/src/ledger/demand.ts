import type { Use } from "../contract/coordination-store.ts";
import type { DemandView } from "../contract/demand.ts";
import { isLearning } from "./group-clock.ts";
import type { GroupRow, MemberRow } from "./table.ts";
import { countedWant, type Division, divide, needOf, takesTurns } from "./water-level.ts";

/**
 * Shares that follow demand: what a member is raised by, and what it is told (R22, R23). Safety does not rest on any of
 * this: whatever it says, nobody is given more than is free.
 */

/** What a member is to be raised by. */
export interface DemandRaise {
  readonly tokens: number;
  /** True when one of them is an odd token, which takes turns. */
  readonly odd: boolean;
}

/** Somebody that got less than it needs counts for as long as all members need to hear of it. */
const HUNGRY_SYNCS = 1.1;
const HUNGRY_MS = 200;
/** Hunger is noted about once in a sync, and at least so often. */
const HUNGER_NOTED_MS = 1_000;
/** Syncs come a little early: of one that starves on end not only every second one is to count. */
const HUNGER_NOTED_PART = 3 / 4;
/** The part of its turn that a member rests for each that waits for one: a little less, so that none lies idle. */
const REST_PART = 0.9;
/**
 * The turn of a member that shares evenly lasts so many intervals, if it uses nothing: its token may start with the
 * next one, and is then good for a whole one.
 */
const EVEN_TURN_INTERVALS = 2;
/**
 * So many intervals are the sync interval of a member that shares evenly, which does not say its own: its turn is over
 * with a report, and that may come after the interval.
 */
const EVEN_SYNC_INTERVALS = 1.25;

/** The demand of a member that shares evenly, and takes no turns. */
export const EVEN_SHARE: Pick<MemberRow, "want" | "odd" | "gaveUpMs" | "restUntilMs"> = {
  want: null,
  odd: false,
  gaveUpMs: 0,
  restUntilMs: 0,
};

/** True while somebody was answered less than it needs, a sync interval of the asking member ago at most. */
export function isHungry({ hungryMs, lastMs }: GroupRow, syncMs: number): boolean {
  return hungryMs !== null && lastMs - hungryMs < HUNGRY_SYNCS * syncMs + HUNGRY_MS;
}

/** What this member, which wants something, is to be raised by as the rows are. */
export function demandRaise(row: GroupRow, member: MemberRow, unspent: number, syncMs: number): DemandRaise {
  const want = countedWant(row, member);
  if (isLearning(row) || want === null) return { tokens: 0, odd: false };
  const division = divide(row);
  const tokens = demandTokens(row, member, division);
  const odd =
    freeFor(row, member, division) > tokens && hasTurn(row, member, division, tokens, unspent - tokens, syncMs);
  return { tokens: odd ? tokens + 1 : tokens, odd };
}

/** What of the free tokens this member may have. */
function freeFor(row: GroupRow, member: MemberRow, { reserve, float }: Division): number {
  const holdsNone = member.held < Math.max(1, reserve);
  return row.capacity - row.held - (holdsNone ? 0 : float);
}

/**
 * What a member is to be raised by to its need, and to what it gets on top (R22).
 * @param before free tokens that are for others (R29). Default 0
 */
export function demandTokens(row: GroupRow, member: MemberRow, division: Division, before = 0): number {
  const free = freeFor(row, member, division) - before;
  if (free <= 0) return 0;
  const { extra } = division;
  const need = needOf(division, countedWant(row, member) as number);
  const isBelow = member.held < need + (row.memberCount === 1 ? extra : Math.ceil(extra / 2));
  return isBelow ? Math.min(free, need + extra - member.held) : 0;
}

/**
 * Tokens that cannot be divided take turns (R23): one goes to a member at the water level that has rested, or to
 * anybody when one lies idle.
 */
function hasTurn(
  row: GroupRow,
  member: MemberRow,
  division: Division,
  tokens: number,
  idle: number,
  syncMs: number,
): boolean {
  if (!division.scarce || division.odd === 0 || isHungry(row, syncMs)) return false;
  if (member.held + tokens !== division.waterLevel || (countedWant(row, member) as number) <= division.waterLevel)
    return false;
  return row.lastMs >= member.restUntilMs || (idle > 0 && row.lastMs - member.gaveUpMs >= row.intervalMs);
}

/** A member is given an odd token. The turn of one that shares evenly is over after `restUntilMs`. */
export function beginTurn(row: GroupRow, member: MemberRow): void {
  member.odd = true;
  if (member.want === null) member.restUntilMs = row.lastMs + EVEN_TURN_INTERVALS * row.intervalMs;
}

/**
 * One that shares evenly does not know of turns: its own is over with the first report which says that it has used
 * something, or when the token was there for an interval. It is entitled to the token no more then, and gives it up.
 */
export function limitEvenTurn(row: GroupRow, member: MemberRow, use: Use | undefined): void {
  if (member.want !== null) return;
  if (!takesTurns(row)) Object.assign(member, EVEN_SHARE);
  else if (member.odd && (use?.used ?? 0) > 0) member.restUntilMs = Math.min(member.restUntilMs, row.lastMs);
}

/** A member that holds an odd token has given tokens up: it rests until others have had their turn. */
export function endTurn(row: GroupRow, member: MemberRow, syncMs: number = EVEN_SYNC_INTERVALS * row.intervalMs): void {
  if (!member.odd) return;
  const { scarce, waterLevel, odd, takers } = divide(row);
  const others = scarce && odd > 0 ? takers / odd - 1 : 0;
  member.odd = false;
  member.gaveUpMs = row.lastMs;
  member.restUntilMs = row.lastMs + REST_PART * others * syncMs * Math.max(1, waterLevel);
}

/** Notes that a member was answered less than it needs, by more than a sixteenth. */
export function noteHunger(row: GroupRow, held: number, need: number, syncMs: number = HUNGER_NOTED_MS): void {
  if (isLearning(row) || held >= need - Math.floor(need / 16)) return;
  const notedForMs = HUNGER_NOTED_PART * Math.min(HUNGER_NOTED_MS, syncMs);
  if (row.hungryMs !== null && row.lastMs - row.hungryMs < notedForMs) return;
  row.hungryMs = row.lastMs;
}

/**
 * What a member is told besides what it holds.
 * @param division how the capacity is divided for it
 */
export function demandView(row: GroupRow, member: MemberRow, syncMs: number, division: Division): DemandView {
  const { scarce, waterLevel, reserve, extra, spare } = division;
  const hungry = isHungry(row, syncMs);
  const free = row.capacity - row.held;
  // Where nothing is free and nothing left over, somebody may hold what it does not want, and another one lack it.
  const tight = scarce || hungry || (row.memberCount > 1 && (free <= 0 || free < spare / 4));
  return { waterLevel, reserve, extra, odd: member.odd, tight, hungry };
}
