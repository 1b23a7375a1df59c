import type { Cut } from "../../fleet/plan/plan.ts";

export const PROFILES = ["ignored", "obeyed", "failover"] as const;
/**
 * `ignored`: calls go on although their signal has fired, and processes are paused, too. Checked are the calls whose
 * signal has not fired. `obeyed`: a call ends within `stopWithin` of its signal, and no process is paused. Checked are
 * all calls. `failover`: as `ignored`, and the store loses its newest writes now and then, which is outside of the
 * promise: calls above max are counted as a named state.
 */
export type Profile = (typeof PROFILES)[number];

export const STORES = ["V1", "V1-no-push", "V0"] as const;
/** What the store can do: V0 knows no queue of slots, V1 does, and without push it sends no hints. */
export type StoreKind = (typeof STORES)[number];

/** Everything that a seed decides beforehand. A plan and its seed determine a run completely. */
export interface SearchPlan {
  readonly seed: number;
  readonly profile: Profile;
  readonly store: StoreKind;
  readonly settings: Settings;
  readonly hosts: readonly { readonly name: string; readonly startMs: number }[];
  readonly faults: readonly Fault[];
}

/** How the fleet is. Times in milliseconds. */
export interface Settings {
  readonly max: number;
  /** Callers of each process, each with one call at a time. */
  readonly callers: number;
  /** How long a call takes, about. */
  readonly holdMs: number;
  /** Some calls cost up to so many slots. */
  readonly dearest: number;
  /** Probabilities that a message or a hint is lost, comes seconds late, comes twice. */
  readonly lost: number;
  readonly late: number;
  readonly twice: number;
}

/** What every semaphore is configured with, in milliseconds: the defaults, written out, since the check knows them. */
export const TIMES = {
  staleAfter: 10_000,
  stopWithin: 2_000,
  validity: 5_250,
  syncInterval: 1_000,
  storeTimeout: 1_000,
} as const;

/** Clocks are off by as much: 0.3 %. */
export const DRIFT = 0.003;

/** Faults happen until then. */
export const CHURN_MS = 60_000;

/** Something that goes wrong, or is done on purpose, at `atMs`. */
export type Fault = { readonly atMs: number } & (
  | { readonly kind: "join"; readonly host: string }
  | { readonly kind: "crash"; readonly host: string; readonly restartAfterMs: number | null }
  | { readonly kind: "pause"; readonly host: string; readonly forMs: number }
  | { readonly kind: "cut"; readonly host: string; readonly forMs: number; readonly how: Cut }
  | { readonly kind: "drain"; readonly host: string }
  | { readonly kind: "outage"; readonly forMs: number; readonly how: "silent" | "refused" | "paused" }
  /** The store lost its data, and is there. */
  | { readonly kind: "loss" }
  /** A standby takes over that lacks the last writes. */
  | { readonly kind: "failover"; readonly forMs: number; readonly lostMs: number }
  /** The store's clock is set. */
  | { readonly kind: "clock"; readonly byMs: number }
  /** Each process learns of it within `spreadMs`. */
  | { readonly kind: "max"; readonly max: number; readonly spreadMs: number }
);
