/** Everything that a seed decides beforehand. A plan and its seed determine a run completely. */
export interface Plan {
  readonly seed: number;
  readonly profile: Profile;
  readonly settings: Settings;
  readonly members: readonly MemberPlan[];
  readonly faults: readonly Fault[];
  /** When churn is over and everything heals, in milliseconds of world time. */
  readonly churnMs: number;
}

export const PROFILES = [
  "atomic",
  "failover-loss",
  "hold-partition",
  "floor-partition",
  "abuse-of-the-prototype",
  "storm",
  "suspended",
  "collecting",
] as const;
export type Profile = (typeof PROFILES)[number];

/** What every throttle of the group is configured with, and how the world around it behaves. Times in milliseconds. */
export interface Settings {
  readonly max: number;
  readonly min: number;
  readonly rampUpMs: number;
  readonly mode: "relaxed" | "scheduled" | "onlyIfUsed" | "goBackN";
  readonly intervalMs: number;
  readonly staleAfterMs: number;
  readonly validityMs: number;
  readonly syncIntervalMs: number;
  readonly storeTimeoutMs: number;
  readonly clockErrorMs: number;
  /** What some boots declare instead. Default: all the same. */
  readonly smallClockErrorMs?: number;
  readonly learningMs: number;
  readonly resumeWithinMs: number;
  readonly release: "epoch" | "even";
  readonly onStoreLost:
    | "stop"
    | { readonly type: "hold"; readonly for: number }
    | { readonly type: "floor"; readonly maxMembers: number };
  readonly hints: boolean;
  /** Probability that a message is lost while nothing else is wrong. */
  readonly lost: number;
  /** Usual one-way delay of a message, at most. */
  readonly latencyMs: number;
  /** Most by which a clock runs fast or slow, as a fraction. */
  readonly drift: number;
  /** Whether hosts tell the time for which they were suspended. Default none. */
  readonly bootReading?: BootReading;
  /** How the limit is divided: `mixed` has processes of either kind. Default evenly. */
  readonly shares?: Shares;
  /**
   * Whether the store can tell since when its data was certainly not lost. `clock` goes by its clock alone, which is a
   * fault. Default no.
   */
  readonly dataAge?: boolean | "clock";
}

export const SHARES = ["even", "demand", "mixed"] as const;
export type Shares = (typeof SHARES)[number];

/** A host's clock that goes on while it is suspended: there is none, one to 10 ms, one in whole seconds. */
export type BootReading = "none" | "exact" | "seconds";

export const CALLERS = ["greedy", "polling", "edges", "late-deposit", "mixed", "batches", "sparing"] as const;
/** Callers whose demand changes, besides the others, where shares follow it. */
export const CHANGING_CALLERS = ["on-off", "on-off", "light"] as const;
/** `collecting` makes calls that cost several tokens, in the profile of that name; `idle` asks for nothing. */
export type CallerKind = (typeof CALLERS)[number] | (typeof CHANGING_CALLERS)[number] | "collecting" | "idle";

export interface MemberPlan {
  readonly name: string;
  readonly startMs: number;
  readonly caller: CallerKind;
}

/** How a link is cut: requests vanish, requests are refused at once, or only the replies vanish. */
export type Cut = "silent" | "refused" | "deaf";

/** Something that goes wrong, or is done on purpose, at `atMs`. */
export type Fault = { readonly atMs: number } /** A new host, or one that has nothing running. */ & (
  | { readonly kind: "join"; readonly member: string; readonly caller: CallerKind }
  /** A new process under the id of one that may still run, as an orchestrator does that has given one up. */
  | { readonly kind: "replace"; readonly member: string; readonly caller: CallerKind }
  | { readonly kind: "stop"; readonly member: string }
  | { readonly kind: "crash"; readonly member: string; readonly restartAfterMs: number | null }
  | { readonly kind: "pause"; readonly member: string; readonly forMs: number }
  /** The host is suspended: nothing runs, and its clock stands still. */
  | { readonly kind: "suspend"; readonly member: string; readonly forMs: number }
  | { readonly kind: "cut"; readonly member: string; readonly forMs: number; readonly how: Cut }
  | { readonly kind: "slow"; readonly member: string; readonly forMs: number; readonly delayMs: number }
  /** Requests take longer than their replies. */
  | { readonly kind: "lopsided"; readonly member: string; readonly forMs: number; readonly delayMs: number }
  | {
      readonly kind: "lossy";
      readonly member: string;
      readonly forMs: number;
      /** Probability that a message is lost; delivered twice; delivered seconds late. */
      readonly lost: number;
      readonly twice: number;
      readonly late: number;
    }
  | { readonly kind: "store-down"; readonly forMs: number; readonly how: "silent" | "refused" }
  /** Comes back without its data. */
  | { readonly kind: "store-lost"; readonly forMs: number; readonly how: "silent" | "refused" }
  | { readonly kind: "store-pause"; readonly forMs: number }
  | { readonly kind: "store-clock"; readonly byMs: number }
  /** The standby that takes over lacks the last writes, and has its own clock. */
  | { readonly kind: "failover"; readonly forMs: number; readonly lostMs: number; readonly clockByMs: number }
  | { readonly kind: "set-max"; readonly max: number; readonly spreadMs: number }
);
