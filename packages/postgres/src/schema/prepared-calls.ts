import { DtError } from "@dt/core";
import type { Attempt } from "../attempt.ts";
import type { Calls } from "../calls.ts";
import { isMissingSchema } from "../errors/sql-state.ts";
import type { Schema, SchemaUse } from "./schema.ts";

/** @param untilMs when the call's deadline is over, on the runtime's clock */
type Operation<T> = (deadline: AbortSignal, attempt: Attempt, untilMs: number) => Promise<T>;

/** A call may find the schema missing, and find that it was dropped again before the next try. */
const MOST_TRIES = 3;

/** What a try resolves with that found the schema missing or old: nothing ran. */
const SET_UP_FIRST = Symbol("set up first");

/** Calls that need the schema. Where it is missing or old it is made first, and the call's deadline begins then. */
export class PreparedCalls {
  readonly #calls: Calls;
  readonly #schema: Schema;
  readonly #use: SchemaUse;

  constructor(calls: Calls, schema: Schema, use: SchemaUse) {
    this.#calls = calls;
    this.#schema = schema;
    this.#use = use;
  }

  /** Makes the schema, or brings it up to date, unless that was done. */
  async setUp(signal?: AbortSignal): Promise<void> {
    if (await this.#calls.run("set-up", () => this.#schema.isReady(), signal)) return;
    // By then it has ended by itself, with an error that says more.
    const latestMs = this.#use.setupTimeoutMs + this.#use.timeoutMs;
    await this.#calls.run("set-up", () => this.#schema.make(), signal, latestMs);
  }

  /** See {@link Calls.run}. */
  async run<T>(what: string, operation: Operation<T>, signal: AbortSignal | undefined): Promise<T> {
    for (let tries = 1; ; tries++) {
      const answer = await this.#calls.run(what, this.#try(operation), signal);
      if (answer !== SET_UP_FIRST) return answer;
      if (tries === MOST_TRIES) throw vanished(what);
      await this.setUp(signal);
    }
  }

  #try<T>(operation: Operation<T>): (deadline: AbortSignal, attempt: Attempt) => Promise<T | typeof SET_UP_FIRST> {
    const untilMs = this.#use.runtime.now() + this.#use.timeoutMs;
    return async (deadline, attempt) => {
      if (!(await this.#schema.isReady())) return SET_UP_FIRST;
      try {
        return await operation(deadline, attempt, untilMs);
      } catch (error) {
        if (!isMissingSchema(error)) throw error;
        // Nothing ran: the server was set up anew, or another program dropped the schema.
        this.#schema.forget();
        return SET_UP_FIRST;
      }
    };
  }
}

function vanished(what: string): DtError {
  const problem = "the store's tables or functions were missing again after they were made";
  return new DtError("DT_STORE_UNSUITABLE", `postgres ${what} failed: ${problem}; find the program that drops them`);
}
