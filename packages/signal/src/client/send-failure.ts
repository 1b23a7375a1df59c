import { ProducerThrottledError, SignalError } from "../errors.ts";
import type { ThrottlingReason } from "../protocol/reason.ts";
import type { Outgoing } from "./outgoing.ts";
import type { ThrottleState } from "./throttle-state.ts";

/**
 * From this part of its time on a message that timed out is said to have been throttled, even when the throttle has
 * just ended.
 */
const MOSTLY = 0.8;

/** A message has less time than its producer is throttled. */
export function tooLong(topic: string, state: ThrottleState, nowMs: number): ProducerThrottledError {
  const remainingMs = state.remainingMs(nowMs);
  const text = `${topic} is throttled for ${Math.ceil(remainingMs)} ms, longer than the message has time`;
  return new ProducerThrottledError(state.reason(nowMs) as ThrottlingReason, text, { retryAfterMs: remainingMs });
}

/** A message's time is up: with the reason, when its producer is throttled, or was for most of the time. */
export function timedOut(topic: string, state: ThrottleState, message: Outgoing, nowMs: number): SignalError {
  const effect = message.sequenceId > 0 ? "unknown" : "definite";
  const throttledMs = state.throttledMs(nowMs) - message.throttledMsBefore;
  const mostly = throttledMs >= MOSTLY * message.timeoutMs ? state.lastReason : undefined;
  const reason = state.reason(nowMs) ?? mostly;
  const text = `a message to ${topic} was not confirmed within ${message.timeoutMs} ms`;
  if (reason === undefined) return new SignalError("DT_SEND_TIMEOUT", text, { effect });
  return new ProducerThrottledError(reason, text, { effect, retryAfterMs: state.remainingMs(nowMs) });
}
