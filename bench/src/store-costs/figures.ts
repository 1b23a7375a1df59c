import type { StoreCapabilities } from "@dt/core";
import type { Machine } from "../machine.ts";
import type { Spread } from "../statistics.ts";
import type { Counters } from "../stores/bench-store.ts";

/** What a group of a given size costs, or why there is no figure. */
export type SizeFigures = MeasuredSize | NotMeasured;

export interface NotMeasured {
  readonly members: number;
  readonly notMeasured: string;
}

/** One sync in a group whose members agree; nobody joins or leaves. */
export interface MeasuredSize {
  readonly members: number;
  /** Syncs measured, one after the other. */
  readonly syncs: number;
  /** As the caller sees it, in milliseconds. */
  readonly latencyMs: { readonly median: number; readonly p99: number };
  /** The median latency against that of the smallest group. */
  readonly growth: number;
  /** The server's own counts for one sync; null without a server. */
  readonly serverPerSync: Counters | null;
  /**
   * Round trips one after the other, by what a sync takes longer when every message is held back; null without a
   * network, or where not measured.
   */
  readonly roundTrips: number | null;
}

/** How long real throttles take until all of them agree with a newcomer among them, or why there is no figure. */
export type ConvergenceFigures = MeasuredConvergence | NotMeasured;

export interface MeasuredConvergence {
  /** Members before anybody joined. */
  readonly members: number;
  readonly syncIntervalMs: number;
  /** Newcomers, one after the other. */
  readonly joins: number;
  /** One figure for each newcomer, in milliseconds from the call of its `start()`. */
  readonly ms: Spread;
  /** Syncs of all members meanwhile, divided by the members. */
  readonly syncsPerMember: number;
  /**
   * Without changes, afterwards: what the server counted for one sync, upkeep of the store included; null without a
   * server, or when none came in that time.
   */
  readonly idlePerSync: Counters | null;
}

export interface StoreCosts {
  readonly name: string;
  readonly configuration: string;
  readonly capabilities: StoreCapabilities;
  /** When and on what this store was measured, and how busy the machine was: the load average of the minute before. */
  readonly date: string;
  readonly machine: Machine;
  readonly command: string;
  readonly loadBefore: number;
  readonly sizes: readonly SizeFigures[];
  readonly convergence: readonly ConvergenceFigures[];
}

export interface StoreCostFigures {
  readonly stores: readonly StoreCosts[];
}

/** True for a size that has figures. */
export function isMeasured<F extends { readonly members: number }>(figures: F | NotMeasured): figures is F {
  return !("notMeasured" in figures);
}
