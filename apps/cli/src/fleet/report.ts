import type { LimitRecord } from "@dt/core";
import type { LimiterKind } from "../stores/limiter.ts";

/**
 * - `ok`: nothing to say.
 * - `limited`: the limit is used up, so calls wait or are refused. That is what a limit is for.
 * - `attention`: something is not as it should be, such as a member that fell silent, or a damaged row.
 */
export type State = "ok" | "limited" | "attention";

/** A fleet, as its store reports it at one time. The JSON of `dt status --json`, and what the console shows. */
export interface FleetReport {
  /** The version of this shape. A field that is added does not change it; one that is removed or renamed does. */
  readonly schema: 1;
  /** The store's address, without secrets. */
  readonly store: string;
  /** The time at which the report was made, in milliseconds since 1970, by this process's clock. */
  readonly atMs: number;
  /** The requests to the store that the report took. */
  readonly requests: { readonly count: number; readonly meanMs: number; readonly maxMs: number };
  /** The worst state of all limiters. */
  readonly state: State;
  /** One sentence for people: what matters most. */
  readonly verdict: string;
  /** Every limiter that the store keeps something of. */
  readonly limiters: readonly LimiterReport[];
}

/** One limiter of a fleet at one time. */
export interface LimiterReport {
  readonly kind: LimiterKind;
  readonly name: string;
  readonly state: State;
  /** Sentences for people, the most important first; none where there is nothing to say. */
  readonly findings: readonly Finding[];
  /** Its limits: one of a throttle, a semaphore and a pacer, some of a budget, none of a keyed limit (see `keys`). */
  readonly limits: readonly LimitReport[];
  /** Of a throttle and a semaphore: its members by rank. */
  readonly members?: readonly MemberReport[];
  /** Of a keyed limit: its keys. */
  readonly keys?: KeysReport;
  /** What is waited for: tokens of a throttle, slots of a semaphore, requests in a pacer's queue. Absent: not known. */
  readonly waiting?: number;
  /** What is left of a pause, in milliseconds; 0 for none. */
  readonly pausedForMs: number;
  /** Of a throttle and a semaphore: the version of its membership and capacity. */
  readonly generation?: number;
  /** Of a pacer and a budget: what its users agree on; absent while nothing binds them. */
  readonly terms?: string;
  /** Of a pacer: how long it is reserved from now on, in milliseconds; 0 where nothing is reserved. */
  readonly reservedForMs?: number;
  /** Of a budget: leases that are not settled. */
  readonly open?: number;
  /** Its limit in the store, with who changed it and why; absent where the store has none. */
  readonly stored?: LimitRecord;
  /** Why it could not be read, such as a damaged row. All else is then empty. */
  readonly error?: { readonly code: string; readonly message: string };
}

/**
 * | code | state | what it is |
 * |---|---|---|
 * | `damaged` | attention | a row cannot be read |
 * | `miscounted` | attention | the group's row counts another number of members than there are |
 * | `fenced` | attention | another process has the member's id |
 * | `silent` | attention | a member reports nothing, and keeps what it holds until the store removes it |
 * | `unequal` | attention | members declare limits that differ; the smallest counts |
 * | `in-vain` | attention | the store has a limit that the limiter does not use |
 * | `binds` | limited | the limit is used up |
 * | `over` | limited | more is held than the limit allows, since it came down |
 * | `debt` | limited | more was spent than the limit of a budget |
 * | `paused` | limited | no process begins a call before the pause is over |
 * | `waiting` | limited | callers wait although a part of the limit is not used |
 * | `reserved` | limited, ok where no call waits | permits are reserved ahead |
 * | `keys` | limited | nothing is left of some keys |
 * | `learning` | ok, limited where callers wait | the group is new, and learns what was held before |
 * | `agreeing` | ok | members are about to adopt a change |
 * | `terms` | ok | the terms of a pacer or a budget take the place of others |
 * | `unused` | ok | it has no members |
 * | `idle` | ok | some members use nothing |
 * | `hits` | ok | hits are counted for keys without a limit in the store |
 */
export type FindingCode =
  | "damaged"
  | "miscounted"
  | "fenced"
  | "silent"
  | "unequal"
  | "in-vain"
  | "binds"
  | "over"
  | "debt"
  | "paused"
  | "waiting"
  | "reserved"
  | "keys"
  | "learning"
  | "agreeing"
  | "terms"
  | "unused"
  | "idle"
  | "hits";

/** A sentence about a limiter. */
export interface Finding {
  readonly state: State;
  /** What it is, as one word that does not change. */
  readonly code: FindingCode;
  /** The sentence, without a full stop, as a part of a longer one. Names in it may hold any character. */
  readonly text: string;
  /** The member that it is about. */
  readonly member?: string;
}

/** One limit of a limiter. */
export interface LimitReport {
  /** `tokens`, `slots`, `permits`, or its name in a budget. */
  readonly name: string;
  /** The limit in force, in units of its window. */
  readonly max: number;
  /** The window, in milliseconds; null where there is none, as for slots. */
  readonly windowMs: number | null;
  /** Units in use; null where it is not known. */
  readonly used: number | null;
  /** `used / max`, from 0 on; null where it is not known. */
  readonly utilization: number | null;
  /** Of a budget: units that are kept free, since the estimates of calls that run are off by so much. */
  readonly margin?: number;
  /** True where it keeps calls from going on now. */
  readonly binds: boolean;
}

export type MemberState = "active" | "idle" | "silent" | "fenced";

/** One member of a throttle or a semaphore. */
export interface MemberReport {
  readonly id: string;
  /** Tokens or slots that it may be using. */
  readonly held: number;
  /** Its part where all members have the same. */
  readonly evenShare: number;
  /** The limit that it declares; null where its limit is the one in the store. */
  readonly max: number | null;
  /** By its last report: tokens that it granted in the epoch before, or slots in use; null where it is not known. */
  readonly used: number | null;
  /** Tokens or slots that its callers wait for; null where it is not known. */
  readonly waiting: number | null;
  /** What it could use; null where it shares evenly. */
  readonly want: number | null;
  /** Time since its last report, in milliseconds. */
  readonly silentMs: number;
  /** `idle`: it used nothing, and no caller of it waits. */
  readonly state: MemberState;
  /** Why its share is what it is, in one sentence. */
  readonly why: string;
}

/** The keys of a keyed limit. */
export interface KeysReport {
  /** Keys in use; where there are more than were read, those that were counted. */
  readonly count: number;
  /** Keys that were looked at: the rest is only counted. */
  readonly read: number;
  /** Of those that were read: keys of which nothing is left. */
  readonly limited: number;
  /** The busiest of those that were read, the busiest first. */
  readonly busiest: readonly KeyReport[];
}

/** One key of a keyed limit. */
export interface KeyReport {
  readonly key: string;
  readonly max: number;
  readonly windowMs: number;
  readonly burst: number;
  /** Units that are left now; less than 0 where they are reserved ahead. */
  readonly remaining: number;
  /** The time until the key is full again, in milliseconds; 0 where it is. */
  readonly resetMs: number;
  /** Units that processes have in hand. */
  readonly held: number;
  /** Slots in use, and how many there are; null without such a limit. */
  readonly inFlight: number;
  readonly concurrent: number | null;
  /** `1 - remaining / burst`, or the part of its slots that are in use where that is more; from 0 on. */
  readonly utilization: number;
}
