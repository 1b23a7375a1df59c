import type { Duration, Runtime } from "@dt/core";
import { option, settingsOf, type TableOf } from "@dt/core/internal";
import { Calls } from "@dt/core/store";
import { driverError, notSent } from "../errors.ts";
import { checkAddress, type PostgresAddress, refuseForeignNames } from "../pool/address.ts";
import { Gate } from "../pool/gate.ts";
import { createPool, endPools, type OwnPool, type PoolSettings } from "../pool/own-pool.ts";

/** How PostgreSQL is reached, and for how long it is waited for. Exactly one of `pool` and `connectionString`. */
export interface PostgresLinkOptions extends PostgresAddress {
  /**
   * Deadline of every call, connecting included.
   * @default `"1s"`
   */
  readonly timeout?: Duration;
  /**
   * Receives errors of connections that no call is using, at the time they happen.
   * @default they go unnoticed
   */
  readonly onError?: (error: unknown) => void;
  /**
   * Clock, timers and randomness.
   * @default the real ones
   */
  readonly runtime?: Runtime;
}

const LINK = {
  connectionString: option.later,
  pool: option.later,
  timeout: option.driverTimeout.or("1s"),
  onError: option.callback<PostgresLinkOptions["onError"]>("give a function").or(() => {}),
  runtime: option.runtime,
} satisfies TableOf<PostgresLinkOptions>;

/** Runs statements of any kind, one at a time; none is sent twice. */
export class PostgresQueries {
  readonly #own: readonly OwnPool[];
  readonly #settings: PoolSettings;
  readonly #calls: Calls;
  readonly #gate: Gate;

  /**
   * Opens nothing yet: the first call does.
   * @param others options that the caller has besides, for the message about one that neither has
   * @throws DtError `DT_INVALID_OPTION`
   */
  constructor(options: PostgresLinkOptions, others: readonly string[] = []) {
    refuseForeignNames(options);
    const theirs = Object.fromEntries(others.map((name) => [name, option.later]));
    this.#settings = settingsOf({ ...LINK, ...theirs } as typeof LINK, options);
    const { pool, connectionString } = checkAddress("", options);
    const own = pool ? undefined : createPool(connectionString as string, 1, this.#settings);
    this.#own = own ? [own] : [];
    const rules = { capabilities: { name: "postgres" }, toDtError: driverError, notSent };
    this.#calls = new Calls({ ...rules, ...this.#settings });
    this.#gate = new Gate(pool ?? (own as OwnPool), this.#settings.runtime, this.#settings.timeoutMs, 1);
  }

  /**
   * Runs a statement without parameters and resolves with its rows, arrays of texts.
   * @param what for messages: `"insert"`
   * @param signal ends the call early, with its reason
   * @param text one SQL statement
   * @throws DtError `DT_STORE_*`
   */
  async run(what: string, text: string, signal?: AbortSignal): Promise<unknown> {
    return this.#calls.run(what, signal, (call) =>
      this.#gate.run(text, call.signal, {
        onSent: () => {
          call.sent = true;
        },
      }),
    );
  }

  /** Ends the pool that was made here and fails what is under way. A pool handed in stays as it is. Idempotent. */
  async close(): Promise<void> {
    if (!this.#calls.close()) return;
    this.#gate.close();
    await endPools(this.#own, this.#settings);
  }
}
