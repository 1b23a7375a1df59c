import type { Activity, CoordinationStore, MemberRef, Use } from "../contract/coordination-store.ts";
import type { DemandTracker } from "../demand/demand-tracker.ts";
import type { Events } from "../internal/events.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { MembershipEvents } from "./membership-events.ts";

/** What a membership needs to know; durations in milliseconds. */
export interface MembershipSettings {
  readonly store: CoordinationStore;
  readonly runtime: Runtime;
  readonly group: string;
  readonly member: MemberRef;
  readonly intervalMs: number;
  readonly syncIntervalMs: number;
  readonly validityMs: number;
  readonly staleAfterMs: number;
  readonly storeTimeoutMs: number;
  readonly clockErrorMs: number;
  readonly learningMs: number;
  readonly resumeWithinMs: number;
  /** Only for the event that says what happens when validity is lost. */
  readonly policy: "stop" | "hold" | "floor";
}

/** What a membership asks of and tells the throttle it serves. */
export interface MembershipHost {
  readonly events: Events<MembershipEvents>;
  /** What this member wants; undefined for one that shares evenly. */
  readonly demand?: DemandTracker | undefined;
  /** What is declared with every call: the configured `max`, where the limit lives, and the level now, if any. */
  declare(): { readonly max: number; readonly stored?: boolean; readonly level: number | null };
  /**
   * What was used in the newest epoch begun, to be told with every report; undefined while epochs are not the store's.
   */
  use(): Use | undefined;
  /** What is done here, to be told with every report, for people to look at (R27). */
  activity(): Activity;
  /**
   * The store was told of this use and counts as many of its tokens as spent for good: in this epoch they do not count
   * against what is held any more.
   */
  spent(use: Use, tokens: number): void;
  /** True where a caller waits, or somebody asks why there are no tokens. */
  asksWhy(): boolean;
  /** The holding, the validity or the standing changed. */
  changed(): void;
  /** The holding was lowered, while a report is being made: no other call must come of it. */
  lowered(): void;
  /**
   * Store time at which the newest epoch began that tokens may have been granted in; 0 while epochs are not the
   * store's.
   */
  begunMs(): number;
  /** The first registration was answered with a level to resume. */
  resume(level: number): void;
}
