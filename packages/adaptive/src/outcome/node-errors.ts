import type { Rule } from "./classify.ts";
import { errorsOf } from "./classify.ts";
import type { Outcome } from "./outcome.ts";

/**
 * By `code`: no answer in time is too much; a connection that is refused or breaks is broken, since nothing says why;
 * what we ended ourselves says nothing.
 */
const BY_CODE: Readonly<Record<string, Outcome>> = {
  ETIMEDOUT: "overload",
  ESOCKETTIMEDOUT: "overload",
  ERR_SOCKET_CONNECTION_TIMEOUT: "overload",
  UND_ERR_CONNECT_TIMEOUT: "overload",
  UND_ERR_HEADERS_TIMEOUT: "overload",
  UND_ERR_BODY_TIMEOUT: "overload",
  ECONNREFUSED: "failure",
  ECONNRESET: "failure",
  EPIPE: "failure",
  EHOSTUNREACH: "failure",
  ENETUNREACH: "failure",
  ENOTFOUND: "failure",
  EAI_AGAIN: "failure",
  UND_ERR_SOCKET: "failure",
  ABORT_ERR: "ignored",
  ERR_CANCELED: "ignored",
  UND_ERR_ABORTED: "ignored",
  UND_ERR_CLOSED: "ignored",
  UND_ERR_DESTROYED: "ignored",
  // What a slot's signal ends a call with: the store was away, or the call took longer than maxHold.
  DT_SLOT_LOST: "ignored",
  DT_SLOT_OVERDUE: "overload",
};

/** By `name`: `AbortSignal.timeout` ends a call with a TimeoutError, `AbortController.abort()` with an AbortError. */
const BY_NAME: Readonly<Record<string, Outcome>> = { TimeoutError: "overload", AbortError: "ignored" };

/**
 * Knows errors of Node and of `fetch`, also as the `cause` of another one. Only the caller can abort its own call, so
 * an AbortError is `ignored`. A timeout of your own that aborts a controller should give it the reason,
 * `abort(new DOMException("too late", "TimeoutError"))`.
 */
export const nodeOutcome: Rule = (ended) => {
  for (const { code, name, message } of errorsOf(ended)) {
    // axios has one code for both.
    if (code === "ECONNABORTED") return String(message).startsWith("timeout") ? "overload" : "ignored";
    if (typeof code === "string" && Object.hasOwn(BY_CODE, code)) return BY_CODE[code];
    if (typeof name === "string" && Object.hasOwn(BY_NAME, name)) return BY_NAME[name];
  }
  return undefined;
};
