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
