import { packageName } from "./scope.ts";

/**
 * Every code of this package and of the stores. A package with more has a class of its own for them, such as
 * `SignalError`. Codes are stable within a major version; messages are not.
 *
 * | code | meaning |
 * |---|---|
 * | `DT_INVALID_OPTION` | an option is missing, of the wrong type or out of range, or contradicts another one |
 * | `DT_INVALID_COST` | a cost is not a number that the limiter takes, or more than it can ever grant |
 * | `DT_STOPPED` | the limiter was stopped or is being drained; it grants nothing more |
 * | `DT_TIMEOUT` | the call's time was up before it was granted anything; `retryAfterMs` where that is known |
 * | `DT_QUEUE_FULL` | `maxWaiters` callers are waiting already |
 * | `DT_LIMITED` | the call was not made: it would have had to wait (`whenLimited: "throw"`), or an adaptive throttle refused it |
 * | `DT_SLOT_LOST` | the reason of a slot's signal: the right to the call ended, since the store was away or the limiter was stopped |
 * | `DT_SLOT_OVERDUE` | the reason of a slot's signal: it was held for longer than `maxHold` |
 * | `DT_MEMBER_FENCED` | another process registered under the same member id |
 * | `DT_INTERVAL_MISMATCH` | the group runs with another `interval` |
 * | `DT_PACE_MISMATCH` | the key is in use with another distance, burst or division among sites |
 * | `DT_STORE_UNAVAILABLE` | the store could not be reached or failed |
 * | `DT_STORE_TIMEOUT` | the store did not answer within the deadline |
 * | `DT_STORE_SLOW` | no round trip to the store was short enough to know its clock |
 * | `DT_STORE_CLOSED` | the store object was closed |
 * | `DT_STORE_UNSUITABLE` | the server cannot serve as a store: read-only replica, scripting disabled, too old, credentials refused |
 * | `DT_STORE_REPLY` | the store answered something the contract does not allow |
 * | `DT_STORE_DATA` | what the store holds is damaged, foreign, or of a newer version; the message names it and how to repair it |
 * | `DT_UNSAFE_CLIENT` | a client handed in has options that break the promise |
 * | `DT_ABORTED` | a call was given up because its `AbortSignal` was aborted |
 */
export type DtErrorCode =
  | "DT_INVALID_OPTION"
  | "DT_INVALID_COST"
  | "DT_STOPPED"
  | "DT_TIMEOUT"
  | "DT_QUEUE_FULL"
  | "DT_LIMITED"
  | "DT_SLOT_LOST"
  | "DT_SLOT_OVERDUE"
  | "DT_MEMBER_FENCED"
  | "DT_INTERVAL_MISMATCH"
  | "DT_PACE_MISMATCH"
  | "DT_STORE_UNAVAILABLE"
  | "DT_STORE_TIMEOUT"
  | "DT_STORE_SLOW"
  | "DT_STORE_CLOSED"
  | "DT_STORE_UNSUITABLE"
  | "DT_STORE_REPLY"
  | "DT_STORE_DATA"
  | "DT_UNSAFE_CLIENT"
  | "DT_ABORTED";

/**
 * Whether a failed operation certainly had no effect (`definite`) or may have taken effect (`unknown`: a lost reply).
 */
export type Effect = "definite" | "unknown";

/** What a {@link DtError} is made of besides its code and message. */
export interface DtErrorDetails {
  /** Default `definite`. */
  readonly effect?: Effect;
  /** The error underneath, for example the driver's. */
  readonly cause?: unknown;
  /** Milliseconds after which it is worth trying again, where that is known. */
  readonly retryAfterMs?: number | undefined;
  /** Which limit of several refused the call, by its name. */
  readonly limitedBy?: string | undefined;
}

const BRAND = Symbol.for(packageName("error"));

/**
 * The one error type of every `@dt` package. Recognise it with {@link isDtError}, which also sees errors of another
 * copy of the package.
 */
export class DtError<Code extends string = DtErrorCode> extends Error {
  readonly code: Code;
  readonly effect: Effect;
  /** Milliseconds after which it is worth trying again, where that is known. */
  readonly retryAfterMs: number | undefined;
  /** Which limit of several refused the call, by its name; undefined where there is one, or it is not known. */
  readonly limitedBy: string | undefined;

  constructor(code: NoInfer<Code>, message: string, details: DtErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = "DtError";
    this.code = code;
    this.effect = details.effect ?? "definite";
    this.retryAfterMs = details.retryAfterMs;
    this.limitedBy = details.limitedBy;
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/**
 * True for a {@link DtError} of any copy of the package, optionally with the given code.
 * @param value any value
 * @param code the code that is looked for; left out for any
 * @example if (isDtError(error, "DT_TIMEOUT")) return undefined;
 */
export function isDtError<Code extends DtErrorCode = DtErrorCode>(
  value: unknown,
  code?: Code,
): value is DtError & { readonly code: Code } {
  return (
    typeof value === "object" &&
    value !== null &&
    (value as Record<symbol, unknown>)[BRAND] === true &&
    (code === undefined || (value as DtError).code === code)
  );
}
