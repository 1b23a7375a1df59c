import type { StoreCapabilities } from "@dt/core";
import type { Timings } from "../timings.ts";
import type { StoreAddress } from "./store-address.ts";

/**
 * How a worker takes what it can: at the first instant, all the time, or at the last; two of them give back what they
 * took, in the next epoch. One wants now everything, now little, now nothing, and one always little.
 */
export const CALLERS = ["batches", "first", "uneven", "late", "always", "last", "light"] as const;
export type CallerKind = (typeof CALLERS)[number];

/** What a worker process is started with: its one argument, as JSON. */
export interface WorkerConfig {
  readonly group: string;
  readonly memberId: string;
  readonly max: number;
  readonly timings: Timings;
  readonly store: StoreAddress;
  readonly caller: CallerKind;
  readonly shares: "even" | "demand";
  readonly release: "epoch" | "even";
  /** The file of its log, which must not exist. */
  readonly log: string;
  /** Who sets its wall clock wrong: `libfaketime` below the process, or its own `Date`; and by how much at first. */
  readonly wallClock: "libfaketime" | "Date";
  readonly offsetMs: number;
}

export type ToWorker =
  | { readonly type: "max"; readonly max: number }
  | { readonly type: "clock"; readonly offsetMs: number }
  | { readonly type: "leave" };

/** The kind of a store's clock. */
export type ClockKind = StoreCapabilities["clock"];

/** It has joined its group; its caller was granted something for the first time. */
export type FromWorker = { readonly type: "joined"; readonly clock: ClockKind } | { readonly type: "granted" };
