import { isDtError } from "../errors/dt-error.ts";
import { Events, type Listener } from "../internal/events.ts";
import type { Runtime } from "../runtime/runtime.ts";
import type { Answer } from "./call.ts";

/** The events of a store. Each is published as well: docs/events.md has the channels. */
export interface StoreEvents {
  /** An operation came to its end. */
  readonly operation: {
    /** The method that was called, such as `sync`. */
    readonly operation: string;
    /** From the call to its end, in milliseconds. */
    readonly durationMs: number;
    /** Why it failed: the code of its error, `DT_STORE_TIMEOUT` for example; undefined for a success. */
    readonly error: string | undefined;
  };
}

const NAMES: Readonly<Record<keyof StoreEvents, true>> = { operation: true };

/** Measures the operations of one store, while a listener wants to know. */
export class OperationTimes {
  readonly #events: Events<StoreEvents>;
  readonly #runtime: Pick<Runtime, "now">;

  /** @param store the store's name, as in its capabilities */
  constructor(store: string, runtime: Pick<Runtime, "now">) {
    this.#events = new Events("store", NAMES, { store });
    this.#runtime = runtime;
  }

  /** @throws DtError `DT_INVALID_OPTION` */
  on<Name extends keyof StoreEvents>(name: Name, listener: Listener<StoreEvents[Name]>): () => void {
    return this.#events.on(name, listener);
  }

  /** Runs an operation, and reports how long it took. */
  measure<T>(operation: string, run: () => Answer<T>): Answer<T> {
    if (!this.#events.has("operation")) return run();
    const startMs = this.#runtime.now();
    const ended = (error: string | undefined): void =>
      this.#events.emit("operation", { operation, durationMs: this.#runtime.now() - startMs, error });
    try {
      const answer = run();
      if (!(answer instanceof Promise)) {
        ended(undefined);
        return answer;
      }
      return answer.then(
        (value) => {
          ended(undefined);
          return value;
        },
        (error: unknown) => {
          ended(typeOf(error));
          throw error;
        },
      );
    } catch (error) {
      ended(typeOf(error));
      throw error;
    }
  }
}

function typeOf(error: unknown): string {
  if (isDtError(error)) return error.code;
  return error instanceof Error ? error.name : "unknown";
}
