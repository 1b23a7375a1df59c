import type { DtError, LimiterStatus } from "@dt/core";
import type { LimitState } from "../algorithms/algorithm.ts";
import type { Partitions } from "./partitions.ts";

/** A concurrency limit at one instant, as data. */
export interface ConcurrencyLimitStatus extends LimiterStatus {
  /** The limiter's kind. */
  readonly kind: "concurrency";
  /** Where it is between its start and its end. */
  readonly state: "running" | "draining" | "stopped";
  /** Name of the algorithm. */
  readonly algorithm: string;
  /** Cost that may be in flight at once, not rounded. */
  readonly limit: number;
  /** Cost in flight. */
  readonly inflight: number;
  /** Calls in flight. */
  readonly inflightCalls: number;
  /** Calls turned away so far. */
  readonly shed: number;
  /** Windows that the algorithm looked at. */
  readonly windows: number;
  /** Windows whose latencies were left out, since the event loop was late. */
  readonly lateWindows: number;
  /** Cost in flight of each partition, and the cost that is guaranteed to it now. */
  readonly partitions: Readonly<Record<string, { readonly inflight: number; readonly guaranteed: number }>>;
  /** What the algorithm knows. */
  readonly algorithmState: LimitState;
  /** The last failure of the algorithm: it threw, or made a limit that is no finite number. Undefined without one. */
  readonly lastError: DtError | undefined;
}

/** The partitions that have a name. */
export function partitionStatus(partitions: Partitions, limit: number): ConcurrencyLimitStatus["partitions"] {
  const named = [...partitions.values()].flatMap(({ name, part, inflight }) =>
    name === undefined ? [] : [[name, { inflight, guaranteed: part * limit }] as const],
  );
  return Object.fromEntries(named);
}
