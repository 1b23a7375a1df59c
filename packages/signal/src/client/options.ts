import type { Duplex } from "node:stream";
import { type Runtime, systemRuntime } from "@dt/core";
import { checkDuration, checkInteger, checkKeys, checkRuntime, type Duration, invalidOption } from "@dt/core/kit";

/** Options of `createSignalClient`. */
export interface SignalClientOptions {
  /** Opens a stream to the server: a TCP, TLS or Unix socket. Called again whenever the one before is over. */
  readonly connect: () => Duplex | Promise<Duplex>;
  /** How long a message may take from `send` to its receipt. Default 30 s. */
  readonly sendTimeout?: Duration;
  /** Messages of one producer that are not confirmed yet, sent or not; one more is refused. Default 1,000. */
  readonly maxPendingMessages?: number;
  /**
   * Of these, how many may be on their way. This is also how far past its quota a topic can go before the signal is
   * there; when a throttle ends it is 1, and doubles every 100 ms. Default 100.
   */
  readonly maxInFlight?: number;
  /** How long a request (a new producer, a subscription) may take, connecting included. Default 10 s. */
  readonly requestTimeout?: Duration;
  /**
   * The wait before the first attempt to connect again; it doubles up to 100 times as much, and a random half is taken
   * off. Default 100 ms.
   */
  readonly reconnectDelay?: Duration;
  /**
   * Silence after which the server is asked for a sign, and again as long until the connection is given up. Default 30
   * s.
   */
  readonly keepAlive?: Duration;
  /** False for a client of before the signal: the server pauses its connection instead. Default true. */
  readonly supportsThrottleProducerCommands?: boolean;
  /** Clock, timers and randomness, for tests. */
  readonly runtime?: Runtime;
}

const OPTIONS: ReadonlySet<string> = new Set<keyof SignalClientOptions>([
  "connect",
  "sendTimeout",
  "maxPendingMessages",
  "maxInFlight",
  "requestTimeout",
  "reconnectDelay",
  "keepAlive",
  "supportsThrottleProducerCommands",
  "runtime",
]);

/** Options that were checked, with everything that was left out. */
export interface ClientSettings {
  readonly connect: () => Duplex | Promise<Duplex>;
  readonly sendTimeoutMs: number;
  readonly maxPendingMessages: number;
  readonly maxInFlight: number;
  readonly requestTimeoutMs: number;
  readonly reconnectDelayMs: number;
  readonly keepAliveMs: number;
  readonly signals: boolean;
  readonly runtime: Runtime;
}

/** @throws DtError `DT_INVALID_OPTION` */
export function checkClientOptions(options: SignalClientOptions): ClientSettings {
  checkKeys("options", options, OPTIONS);
  if (typeof options.connect !== "function")
    throw invalidOption(
      "connect",
      options.connect,
      "give a function that opens a stream, such as () => net.connect(port)",
    );
  return {
    connect: options.connect,
    sendTimeoutMs: checkDuration("sendTimeout", options.sendTimeout ?? 30_000, 1),
    maxPendingMessages: checkInteger("maxPendingMessages", options.maxPendingMessages ?? 1_000, 1),
    maxInFlight: checkInteger("maxInFlight", options.maxInFlight ?? 100, 1),
    requestTimeoutMs: checkDuration("requestTimeout", options.requestTimeout ?? 10_000, 1),
    reconnectDelayMs: checkDuration("reconnectDelay", options.reconnectDelay ?? 100, 1),
    keepAliveMs: checkDuration("keepAlive", options.keepAlive ?? 30_000, 1),
    signals: options.supportsThrottleProducerCommands ?? true,
    runtime: checkRuntime(options.runtime ?? systemRuntime),
  };
}
