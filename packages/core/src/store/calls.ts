import { discreet } from "../errors/discreet.ts";
import { DtError, isDtError } from "../errors/dt-error.ts";
import { withDeadline } from "../internal/deadline.ts";
import type { Runtime } from "../runtime/runtime.ts";
import { type Answer, type Call, SetUpFirst } from "./call.ts";

/** The rules that the calls of a store follow. */
export interface CallRules {
  /** The store's name, for messages. */
  readonly capabilities: { readonly name: string };
  /** Where time and timers come from. */
  readonly runtime: Runtime;
  /** The deadline of every call, in milliseconds. Absent where every call is answered before its method returns. */
  readonly timeoutMs?: number;
  /**
   * Turns a driver's error into an error of the contract. Default: `DT_STORE_UNAVAILABLE`.
   * @param error what the driver threw
   * @param call the call under way: its deadline, its signal, and whether it was sent
   */
  toDtError?(error: unknown, call: Call): DtError;
  /**
   * The error of a call that was not sent by its deadline, where more is known than that.
   * @param call the call under way: its deadline, its signal, and whether it was sent
   * @param cause what the driver threw
   */
  notSent?(call: Call, cause: DtError): DtError;
}

/** What fails the calls that are under way when the store is closed: backends see it as the reason of their signal. */
const CLOSED = new DtError("DT_STORE_CLOSED", "the store is closed; create a new one", { effect: "unknown" });

/** The signal of a call that nothing can end. */
const NEVER = new AbortController().signal;

/** The calls of a store: each settles by its deadline, when its caller gives up, or when the store is closed (R16). */
export class Calls {
  readonly #rules: CallRules;
  readonly #pending = new Set<(error: unknown) => void>();
  /** Every call that is answered before its method returns. */
  readonly #atOnce: Call;
  #closed = false;

  constructor(rules: CallRules) {
    this.#rules = rules;
    this.#atOnce = { what: rules.capabilities.name, signal: NEVER, untilMs: Number.POSITIVE_INFINITY, sent: true };
  }

  /**
   * Runs one call to the database by the rules of all calls.
   * @param name what is being done: `"sync"`
   * @param timeoutMs the deadline, where it is not that of every call
   * @param signal ends the call early, with its reason
   * @param operation makes the call, and sets `sent` when the request leaves
   * @throws DtError, of which the effect is `unknown` only when the call was sent
   */
  run<T>(
    name: string,
    signal: AbortSignal | undefined,
    operation: (call: Call) => Answer<T>,
    timeoutMs: number | undefined = this.#rules.timeoutMs,
  ): Answer<T> {
    if (this.#closed) throw closed(this.#what(name), false);
    if (timeoutMs !== undefined) return this.#runTimed(this.#what(name), signal, operation, timeoutMs);
    if (!signal?.aborted) return this.#runAtOnce(name, operation(this.#atOnce));
    throw new DtError("DT_ABORTED", `${this.#what(name)} was given up by its AbortSignal`, { cause: signal.reason });
  }

  /** Fails what is under way; false when that was done before. */
  close(): boolean {
    if (this.#closed) return false;
    this.#closed = true;
    for (const fail of [...this.#pending]) fail(CLOSED);
    return true;
  }

  /** A request for hints is answered a few turns later, when the store may be closed. */
  #runAtOnce<T>(name: string, answer: Answer<T>): Answer<T> {
    if (!(answer instanceof Promise)) return answer;
    return answer.catch((error: unknown) => {
      throw this.#closed ? closed(this.#what(name), false) : error;
    });
  }

  #what(name: string): string {
    return `${this.#rules.capabilities.name} ${name}`;
  }

  async #runTimed<T>(
    what: string,
    signal: AbortSignal | undefined,
    operation: (call: Call) => Answer<T>,
    timeoutMs: number,
  ): Promise<T> {
    const { runtime } = this.#rules;
    const call = { what, signal: NEVER, untilMs: runtime.now() + timeoutMs, sent: false };
    const run = async (deadline: AbortSignal): Promise<T> => {
      call.signal = deadline;
      return operation(call);
    };
    try {
      return await withDeadline(run, { runtime, timeoutMs, what, signal, pending: this.#pending });
    } catch (error) {
      throw error instanceof SetUpFirst ? error : this.#callError(error, call);
    }
  }

  #callError(error: unknown, call: Call): DtError {
    const { what, sent } = call;
    if (error === CLOSED) return closed(what, sent);
    if (!isDtError(error)) return this.#rules.toDtError?.(error, call) ?? unavailable(error, call);
    if (sent || error.effect === "definite") return error;
    if (error.code !== "DT_STORE_TIMEOUT") return new DtError(error.code, error.message, { cause: error.cause });
    return this.#rules.notSent?.(call, error) ?? notSent(call, error);
  }
}

function closed(what: string, sent: boolean): DtError {
  const message = `${what} failed: ${CLOSED.message}`;
  return new DtError("DT_STORE_CLOSED", message, { effect: sent ? "unknown" : "definite" });
}

function unavailable(error: unknown, { what, sent }: Call): DtError {
  const cause = discreet(error);
  return new DtError("DT_STORE_UNAVAILABLE", `${what} failed: ${cause.message}`, {
    effect: sent ? "unknown" : "definite",
    cause,
  });
}

function notSent({ what }: Call, cause: DtError): DtError {
  return new DtError("DT_STORE_TIMEOUT", `${what} failed: it could not be sent within the deadline`, { cause });
}
