import type { DtError } from "../errors/dt-error.ts";
import type { Events } from "../internal/events.ts";
import type { CallResult } from "../internal/tally.ts";
import { WaitingQueue } from "../internal/waiting-queue.ts";
import type { PermitWait } from "./cost-queue.ts";
import { notInTime } from "./pacer-errors.ts";
import type { PacerEvents } from "./pacer-events.ts";
import type { PacerSettings } from "./pacer-options.ts";
import type { Permit } from "./permit.ts";

/** What a caller is told that leaves without a permit. */
interface Told {
  /** When a permit for it is due, in milliseconds from now; undefined while the store has not answered. */
  dueInMs(want: PermitWait): number | undefined;
  /** Permits wasted so far. */
  wasted(): number;
  /** How a caller came out that has left, or was refused since as many wait as may. */
  decided(result: CallResult, want: PermitWait, waitedMs: number): void;
}

/** The waiting queue of a pacer. Its events tell of callers that leave it without a permit, and of refused ones. */
export function waitingCallers(
  settings: PacerSettings,
  events: Events<PacerEvents>,
  told: Told,
): WaitingQueue<Permit, PermitWait> {
  const { runtime, maxWaiters, acquireTimeoutMs } = settings;
  const timeoutError = (want: PermitWait, timeoutMs: number | undefined, retryAfterMs?: number): DtError =>
    notInTime(settings, {
      timeoutMs,
      retryAfterMs: retryAfterMs ?? told.dueInMs(want),
      wasted: told.wasted() - want.wastedBefore,
    });
  const queue = new WaitingQueue<Permit, PermitWait>({ runtime, maxWaiters, acquireTimeoutMs, timeoutError });
  queue.onDecided = (result, want, waitedMs) => told.decided(result, want, waitedMs);
  queue.onTimeout = ({ cost, waitedMs }) => {
    if (events.has("timedOut")) events.emit("timedOut", { cost, waitedMs });
  };
  queue.onFull = () => {
    if (events.has("queueFull")) events.emit("queueFull", { waiting: queue.size });
  };
  return queue;
}
