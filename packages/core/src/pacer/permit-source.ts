import type { AcquireSettings } from "../limiter/acquire-options.ts";
import type { Permit } from "./permit.ts";

/** No permit is free. */
export interface Refused {
  /** After so many milliseconds it is worth asking again. */
  readonly retryAfterMs: number;
}

/** How a caller asks that does not wait. */
export type AttemptSettings = Pick<AcquireSettings, "signal" | "priority">;

/** Where the permits of a pacer come from: its own store, or the stores of several sites. */
export interface PermitSource<P extends Permit> {
  /** Callers waiting. */
  readonly waiting: number;
  /** How often a store did not take instants back: other processes wait for those instants in vain. */
  readonly unreleased: number;
  /** What is left of a pause that is known of, in milliseconds. */
  readonly pausedForMs: number;
  /** Called when no caller waits any more. */
  onEmpty: () => void;
  /** Waits for a permit. With a timeout of 0 it takes one that is free at this instant. */
  acquire(cost: number, how: AcquireSettings): Promise<P>;
  /** Takes a permit that is free at this instant. While callers wait there is none. */
  attempt(cost: number, how: AttemptSettings): Promise<P | Refused>;
  /** No permit is used before this local time, here or in another process. */
  pauseUntil(untilMs: number): void;
  /** Fails the callers that wait and those that come, and gives everything back. */
  close(error: unknown): Promise<void>;
}

/** True when an attempt found no permit. */
export function isRefused(answer: Permit | Refused): answer is Refused {
  return "retryAfterMs" in answer;
}
