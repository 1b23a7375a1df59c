import { DtError, type DtErrorDetails, isDtError } from "@dt/core";
import type { ThrottlingReason } from "../protocol/reason.ts";

/** A message was not sent in time, or would not be, since the server throttles its producer. */
export class ProducerThrottledError extends DtError {
  /** Why the server throttles. */
  readonly reason: ThrottlingReason;

  constructor(reason: ThrottlingReason, message: string, details: DtErrorDetails = {}) {
    super("DT_PRODUCER_THROTTLED", `${message} (${reason})`, details);
    this.name = "ProducerThrottledError";
    this.reason = reason;
  }
}

/** True for a {@link ProducerThrottledError} of any copy of the package. */
export function isProducerThrottled(value: unknown): value is ProducerThrottledError {
  return isDtError(value, "DT_PRODUCER_THROTTLED");
}

/** A producer far above its quota is refused all the time: without a stack that costs next to nothing. */
export function queueFull(maxPendingMessages: number): DtError {
  const { stackTraceLimit } = Error;
  // Unlike an assignment it does not throw where `Error` is frozen.
  Reflect.set(Error, "stackTraceLimit", 0);
  try {
    const text = `maxPendingMessages is ${maxPendingMessages} and as many are not confirmed yet`;
    return new DtError("DT_QUEUE_FULL", text);
  } finally {
    Reflect.set(Error, "stackTraceLimit", stackTraceLimit);
  }
}
