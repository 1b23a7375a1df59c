import { DtError, isDtError } from "../errors/dt-error.ts";
import { withDeadline } from "../internal/deadline.ts";
import type { Events } from "../internal/events.ts";
import type { MembershipEvents, Operation } from "./membership-events.ts";
import type { MembershipSettings } from "./membership-settings.ts";

type Settings = Pick<MembershipSettings, "store" | "runtime" | "storeTimeoutMs">;
type ErrorEvents = Events<Pick<MembershipEvents, "storeError">>;

/** A membership's calls to the store: each with a deadline, each failure told and remembered. */
export class StoreCalls {
  readonly #settings: Settings;
  readonly #events: ErrorEvents;
  readonly #leaving = new AbortController();
  readonly #settingUp = new AbortController();
  #lastError: DtError | undefined;

  constructor(settings: Settings, events: ErrorEvents) {
    this.#settings = settings;
    this.#events = events;
  }

  /** Why the last call failed; undefined after a success. */
  get lastError(): DtError | undefined {
    return this.#lastError;
  }

  succeeded(): void {
    this.#lastError = undefined;
  }

  /** Aborts what is under way. From now on only a farewell is sent, and only its failure is told. */
  abort(): void {
    this.#leaving.abort();
  }

  /** Ends a set-up under way, and allows no other. */
  abortSetUp(): void {
    this.#settingUp.abort();
  }

  /** What the store needs once; it has a deadline of its own. @throws DtError whatever it failed with */
  async setUp(): Promise<void> {
    try {
      await this.#settings.store.setUp?.(this.#settingUp.signal);
      this.#settingUp.signal.throwIfAborted();
    } catch (error) {
      throw this.#settingUp.signal.aborted ? error : this.failed("register", error);
    }
  }

  /** @throws DtError `DT_STORE_TIMEOUT`, `DT_ABORTED`, or whatever the call failed with */
  withDeadline<T>(operation: Operation, send: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { runtime, store, storeTimeoutMs } = this.#settings;
    const signal = operation === "deregister" ? undefined : this.#leaving.signal;
    return withDeadline(send, {
      runtime,
      timeoutMs: storeTimeoutMs,
      what: `${store.capabilities.name} ${operation}`,
      signal,
    });
  }

  /** Remembers and tells a failure, as the error that it is to callers. */
  failed(operation: Operation, cause: unknown): DtError {
    const error = isDtError(cause)
      ? cause
      : new DtError(
          "DT_STORE_UNAVAILABLE",
          `${this.#settings.store.capabilities.name} ${operation} failed: ${messageOf(cause)}`,
          {
            effect: "unknown",
            cause,
          },
        );
    this.#lastError = error;
    if (!this.#leaving.signal.aborted || operation === "deregister") {
      if (this.#events.has("storeError")) this.#events.emit("storeError", { operation, error });
    }
    return error;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
