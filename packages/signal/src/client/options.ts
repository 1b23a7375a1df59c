import type { Duplex } from "node:stream";
import type { Runtime } from "@dt/core";
import { type Duration, option, type Settings, settingsOf, type TableOf } from "@dt/core/internal";

/** Options of `createSignalClient`. */
export interface SignalClientOptions {
  /** Opens a stream to the server: a TCP, TLS or Unix socket. Called again whenever the one before is over. */
  readonly connect: () => Duplex | Promise<Duplex>;
  /**
   * How long a message may take from `send` to its receipt.
   * @default 30 s
   */
  readonly sendTimeout?: Duration;
  /**
   * Messages of one producer that are not confirmed yet, sent or not; one more is refused.
   * @default 1,000
   */
  readonly maxPendingMessages?: number;
  /**
   * Of these, how many may be on their way. This is also how far past its quota a topic can go before the signal is
   * there; when a throttle ends it is 1, and doubles every 100 ms.
   * @default 100
   */
  readonly maxInFlight?: number;
  /**
   * How long a request (a new producer, a subscription) may take, connecting included.
   * @default 10 s
   */
  readonly requestTimeout?: Duration;
  /**
   * The wait before the first attempt to connect again; it doubles up to 100 times as much, and a random half is taken
   * off.
   * @default 100 ms
   */
  readonly reconnectDelay?: Duration;
  /**
   * Silence after which the server is asked for a sign, and again as long until the connection is given up.
   * @default 30 s
   */
  readonly keepAlive?: Duration;
  /**
   * False for a client of before the signal: the server pauses its connection instead.
   * @default true
   */
  readonly supportsThrottleProducerCommands?: boolean;
  /**
   * Clock, timers and randomness, for tests.
   * @default none
   */
  readonly runtime?: Runtime;
}

/** Options that were checked, with everything that was left out. */
export type ClientSettings = Settings<SignalClientOptions>;

const CLIENT = {
  connect: option.callback<SignalClientOptions["connect"]>(
    "give a function that opens a stream, such as () => net.connect(port)",
  ),
  sendTimeout: option.duration(1).or(30_000),
  maxPendingMessages: option.integer(1).or(1_000),
  maxInFlight: option.integer(1).or(100),
  requestTimeout: option.duration(1).or(10_000),
  reconnectDelay: option.duration(1).or(100),
  keepAlive: option.duration(1).or(30_000),
  supportsThrottleProducerCommands: option.boolean.or(true),
  runtime: option.runtime,
} satisfies TableOf<SignalClientOptions>;

/** @throws DtError `DT_INVALID_OPTION` */
export function checkClientOptions(options: SignalClientOptions): ClientSettings {
  return settingsOf(CLIENT, options);
}

/** Options of `send`. */
export interface SendOptions {
  /**
   * Messages of one key go to one partition, in order.
   * @default none
   */
  readonly key?: string;
  /**
   * How long it may take to the receipt.
   * @default the client's `sendTimeout`
   */
  readonly timeout?: Duration;
  /**
   * Gives a message up that has not been sent, and ends the waiting for one that has.
   * @default none
   */
  readonly signal?: AbortSignal;
}

/** Their names. */
export const SEND_OPTIONS: ReadonlySet<string> = new Set<keyof SendOptions>(["key", "timeout", "signal"]);
