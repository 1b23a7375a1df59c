import type { DecidedCall } from "@dt/core";
import { Events } from "@dt/core/internal";
import type { SampleWindow } from "../algorithms/algorithm.ts";

/**
 * Why a call did not go out:
 *
 * - `limit`: it would not wait (`tryAcquire`, or a `timeout` of 0), and as much is in flight as the limit allows.
 * - `full`: as many callers wait already as `maxWaiters` allows.
 * - `displaced`: it waited, and a call of a higher priority took its place in the full queue.
 * - `timeout`: it waited, and its time was up.
 */
export type ShedReason = "limit" | "full" | "displaced" | "timeout";

/** The events of a concurrency limit, by name. Each is published as well: docs/events.md has the channels. */
export interface ConcurrencyLimitEvents {
  /** The limit changed. */
  readonly limit: { readonly limit: number; readonly before: number; readonly inflight: number };
  /** A window was closed. `late`: the event loop was held up for so long that its latencies were not looked at. */
  readonly window: { readonly window: SampleWindow; readonly late: boolean; readonly limit: number };
  /**
   * A call that waited, or was refused, came out like this. Grants without a wait, and answers of no to `tryAcquire`,
   * are only counted: `status().calls`.
   */
  readonly decided: DecidedCall;
  /** A call was turned away. */
  readonly shed: {
    readonly reason: ShedReason;
    readonly cost: number;
    readonly priority: number;
    readonly partition: string | undefined;
  };
  /** A slot was not settled within `maxHold`: it counts as `overload` from now on. */
  readonly overdue: { readonly cost: number; readonly partition: string | undefined; readonly heldMs: number };
}

/** The name of a concurrency limit's event. */
export type ConcurrencyLimitEvent = keyof ConcurrencyLimitEvents;

const NAMES: Readonly<Record<ConcurrencyLimitEvent, true>> = {
  limit: true,
  window: true,
  decided: true,
  shed: true,
  overdue: true,
};

/** The events of one limit. */
export function concurrencyLimitEvents(name: string): Events<ConcurrencyLimitEvents> {
  return new Events("concurrency", NAMES, { name });
}
