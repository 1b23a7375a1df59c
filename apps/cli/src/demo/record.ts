import type { ChangeKind } from "./timings.ts";

/** What a worker reports as it happens; all times are on the machine's monotonic clock. */
export type Entry =
  /** It is up and running. */
  | { readonly type: "ready"; readonly atMs: number }
  /** Tokens were granted; reported before the request that uses them is sent. */
  | { readonly type: "grant"; readonly atMs: number; readonly epoch: number; readonly tokens: number }
  /** Tokens came back in the epoch of their grant, to be granted again. */
  | { readonly type: "returned"; readonly atMs: number; readonly epoch: number; readonly tokens: number }
  /** What the throttle tells of its share, whenever that is new. */
  | ShareEntry
  /** Something went wrong and the worker went on: a call to the store, a wait for tokens, a request. */
  | { readonly type: "trouble"; readonly atMs: number; readonly what: string; readonly message: string }
  /** It has left the group and its last request is answered. */
  | { readonly type: "left"; readonly atMs: number };

export interface ShareEntry {
  readonly type: "share";
  readonly atMs: number;
  readonly epoch: number;
  readonly tokens: number;
  readonly generation: number;
  readonly members: number;
}

export interface WorkerEntry {
  readonly worker: number;
  readonly entry: Entry;
}

/** A request as the server saw it. */
export interface Arrival {
  readonly atMs: number;
  /** When its token was granted in the worker. */
  readonly grantedMs: number;
  readonly worker: number;
  /** False: refused with 429. */
  readonly served: boolean;
}

/** What the server reports. */
export type FromServer =
  | { readonly type: "listening"; readonly port: number; readonly raised: boolean }
  /** A few times a second. */
  | { readonly type: "arrivals"; readonly arrivals: readonly Arrival[] };

/** A change of the fleet that was brought about. */
export interface Change {
  readonly kind: ChangeKind;
  readonly worker: number;
  /** When it was brought about; for a join, when the newcomer, up and running, was sent to the store. */
  readonly atMs: number;
}

/** All that is known of a run. */
export interface RunRecord {
  readonly startMs: number;
  readonly endMs: number;
  readonly changes: readonly Change[];
  /** In order of time. */
  readonly entries: readonly WorkerEntry[];
  /** In order of time. */
  readonly arrivals: readonly Arrival[];
  /** Whether the system gave the processes a raised priority. */
  readonly raised: boolean;
}

/** What a run is told while it goes on. */
export interface RunObserver {
  onStart?(startMs: number): void;
  onEntry?(entry: WorkerEntry): void;
  onChange?(change: Change): void;
  onArrivals?(arrivals: readonly Arrival[]): void;
}
