import { DtError, type DtErrorDetails, isDtError } from "@dt/core";
import type { ThrottlingReason } from "./protocol/reason.ts";

/**
 * The codes that this package has beside those of `@dt/core`.
 *
 * | code | meaning |
 * |---|---|
 * | `DT_PROTOCOL` | the other side of a connection sent what the protocol does not allow |
 * | `DT_CONNECTION_LOST` | a connection ended before the answer came |
 * | `DT_SEND_TIMEOUT` | a message was not confirmed in time |
 * | `DT_PRODUCER_THROTTLED` | a message was not sent in time since the server throttles its producer |
 * | `DT_REFUSED` | the server refused a request |
 */
export type SignalErrorCode =
  | "DT_PROTOCOL"
  | "DT_CONNECTION_LOST"
  | "DT_SEND_TIMEOUT"
  | "DT_PRODUCER_THROTTLED"
  | "DT_REFUSED";

/** A `DtError` with a code of this package. Recognise it with {@link isSignalError}. */
export class SignalError extends DtError<SignalErrorCode> {}

/**
 * True for a {@link SignalError} of any copy of the package, with the given code.
 * @param value any value
 * @param code the code that is looked for; left out for any
 * @example if (isSignalError(error, "DT_REFUSED")) console.error(error.message);
 */
export function isSignalError<Code extends SignalErrorCode>(
  value: unknown,
  code: Code,
): value is SignalError & { readonly code: Code } {
  return isDtError(value) && (value.code as string) === code;
}

/** A message was not sent in time, or would not be, since the server throttles its producer. */
export class ProducerThrottledError extends SignalError {
  /** Why the server throttles. */
  readonly reason: ThrottlingReason;

  constructor(reason: ThrottlingReason, message: string, details: DtErrorDetails = {}) {
    super("DT_PRODUCER_THROTTLED", `${message} (${reason})`, details);
    this.name = "ProducerThrottledError";
    this.reason = reason;
  }
}

/**
 * True for a {@link ProducerThrottledError} of any copy of the package.
 * @param value any value
 * @example if (isProducerThrottled(error)) retryLater(error.retryAfterMs);
 */
export function isProducerThrottled(value: unknown): value is ProducerThrottledError {
  return isSignalError(value, "DT_PRODUCER_THROTTLED");
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

/** What the other side sent is against the protocol: its connection is closed. */
export function protocolError(what: string, cause?: unknown): SignalError {
  return new SignalError("DT_PROTOCOL", `${what}; the connection is closed`, { cause });
}
