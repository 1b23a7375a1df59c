import type { Release } from "@dt/core";
import type { StoreAddress } from "../../stores/store-address.ts";
import type { Arrivals } from "./arrivals.ts";

/** What holds a worker back. */
export type Gate =
  /** The throttle: all workers share `max` through the store. */
  | { readonly type: "shared"; readonly store: StoreAddress; readonly group: string; readonly max: number }
  /** Each worker has `max` to itself. */
  | { readonly type: "alone"; readonly max: number }
  /** Nothing. */
  | { readonly type: "none" };

export interface WorkerConfig {
  /** 1, 2, 3, ... */
  readonly worker: number;
  readonly gate: Gate;
  readonly release: Release;
  readonly port: number;
  /** JSONL file of requests; this worker sends the valid lines number `first`, `first + step`, ..., again and again. */
  readonly input: string;
  readonly first: number;
  readonly step: number;
  /** A folder to remove when the parent is gone. */
  readonly scratch: string;
  /** Whether to ask the system for a raised priority. */
  readonly priority: boolean;
}

export type ToWorker =
  | { readonly type: "setup"; readonly config: WorkerConfig }
  | { readonly type: "go" }
  | { readonly type: "leave" };

export type FromWorker = { readonly type: "ready" };

export type ToServer =
  | {
      readonly type: "setup";
      readonly max: number;
      readonly windowMs: number;
      readonly scratch: string;
      readonly priority: boolean;
    }
  | { readonly type: "finish" };

export type FromServer =
  | { readonly type: "listening"; readonly port: number; readonly raised: boolean }
  /** Sent a few times a second. */
  | { readonly type: "count"; readonly served: number; readonly rejected: number }
  /** The last message. */
  | { readonly type: "arrivals"; readonly arrivals: Arrivals };
