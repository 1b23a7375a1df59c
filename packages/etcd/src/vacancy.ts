import type { Driver, Lease } from "./driver.ts";
import type { StoredLevel } from "./stored.ts";

/** How long the keys of a group that everybody left are kept after nothing in them counts any more: a week. */
export const KEEP_EMPTY_MS = 7 * 86_400_000;

/** The longest of all durations that make a ledger, about 31 years. etcd's leases may be nine times as long. */
const LONGEST_MS = 1e12;

/** What the lease of a group without members must be like. */
export interface Vacancy {
  /** The lease that the group had when it was empty before, if it ever was. */
  readonly had: Lease | undefined;
  /** How long the lease must last from now on, in milliseconds. */
  readonly lastsMs: number;
}

/** What {@link lastingMs} goes by. */
export interface Remembered {
  /** The largest stale age that the group has had of late. */
  readonly longestStaleMs: number;
  readonly levels: ReadonlyMap<string, StoredLevel>;
  /** The group's time now. */
  readonly nowMs: number;
  readonly keepEmptyMs: number;
}

/**
 * How long the keys of an empty group must last. What is in them counts for two things. A newcomer must not be given
 * what somebody used a moment ago, or, after a repair, is still using though it is on record nowhere: that is over
 * after a stale age, which is longer than an interval. And levels are to be resumed. When both are past, a group that
 * begins anew is as good, and learns first like every new one.
 */
export function lastingMs({ longestStaleMs, levels, nowMs, keepEmptyMs }: Remembered): number {
  const levelsMs = Math.max(0, ...[...levels.values()].map(({ untilMs }) => untilMs - nowMs));
  return keepEmptyMs + Math.min(Math.max(longestStaleMs, levelsMs), LONGEST_MS);
}

/**
 * The lease for the keys of a group without members. It is not kept alive, so that etcd deletes all of them, at one
 * revision, when nobody has joined until then. Whoever joins writes them without a lease; the lease stays by itself,
 * and is taken again when the group is empty again: a group has one lease, however often its members come and go.
 */
export async function leaseFor(driver: Driver, { had, lastsMs }: Vacancy): Promise<Lease> {
  if (had && had.ttlMs >= lastsMs && (await driver.keepAlive(had.id))) return had;
  // A second more than needed: what is needed is counted again, and may then be a little more.
  return driver.grantLease(Math.ceil(lastsMs / 1_000) + 1);
}
