import { type Runtime, systemRuntime } from "@dt/core";
import { checkDuration, checkInteger, checkKeys, checkRuntime, type Duration, invalidOption } from "@dt/core/kit";
import { FRAME_OVERHEAD_BYTES, LARGEST_FRAME_BYTES } from "../protocol/frame.ts";
import type { Handler } from "./handler.ts";
import type { Quota } from "./limiter.ts";

/** A topic's quota, and the resource group that it counts in as well. */
export interface TopicQuota extends Quota {
  readonly resourceGroup?: string | undefined;
}

/** Options of `createSignalServer`. */
export interface SignalServerOptions {
  /** What the server is for: it keeps messages, and answers who wants them. */
  readonly handler: Handler;
  /** The quota of a topic, asked when its first producer comes. Default: none. */
  readonly topicQuota?: (topic: string) => TopicQuota | undefined;
  /** Quotas of the groups that topics name. */
  readonly resourceGroups?: Readonly<Record<string, Quota>>;
  /** What all connections together may send. Default: no limit. */
  readonly brokerQuota?: Quota;
  /** How long a client has to confirm a signal before its connection is read no more. Default 100 ms. */
  readonly throttleProducerReceiptWaitTimeMillis?: number;
  /**
   * Messages of one connection that the handler has not yet dealt with. At so many it is read no more, until half of
   * them are done. Default 1,000.
   */
  readonly maxPendingMessages?: number;
  /**
   * Room for frames of all connections that have come in part, or that the handler has not yet dealt with, in bytes.
   * Those that have come in part take half of it at most, for what has arrived; 64 KiB of each frame do not count.
   * Default 64 MiB; at least two frames.
   */
  readonly maxMessageBufferBytes?: number;
  /**
   * Most connections; one more takes the place of the oldest that has not said who it is, or is closed at once. Default
   * 10,000.
   */
  readonly maxConnections?: number;
  /**
   * Topics that have no producer any more, and whose quota is not full again: they are remembered, or a new producer
   * would begin with a full one. With so many, a producer of a topic that is not known is refused. Default 100,000.
   */
  readonly maxClosedTopics?: number;
  /** Producers and consumers of one connection. Default 1,000. */
  readonly maxProducers?: number;
  /**
   * Answers and messages that one connection's client has not yet read, in bytes; with more it is read no more. Default
   * 256 KiB.
   */
  readonly maxOutgoingBytes?: number;
  /** Most bytes after a frame's size. Default 5 MiB. */
  readonly maxFrameBytes?: number;
  /**
   * Payload that a connection's throttled producers may still send, in bytes a second: what was on its way when the
   * signal was sent. Who sends more is read no more until the pause ends. Default 1 MiB.
   */
  readonly maxUnconfirmedBytes?: number;
  /**
   * What a connection's producers may send whose receipt is there, and which should send nothing: bytes of payload a
   * minute. Who sends more is not signalled again for a minute: its connection is paused instead. Default 64 KiB.
   */
  readonly maxBrokenPromiseBytes?: number;
  /** How long a client has to say who it is. Default 10 s. */
  readonly handshakeTimeout?: Duration;
  /**
   * Silence after which a client is asked for a sign, and again as long until it is given up; also for a frame to be
   * finished, and for answers to be read. Default 30 s.
   */
  readonly keepAlive?: Duration;
  /** False for a server of before the signal: it pauses, and says nothing. Default true. */
  readonly supportsThrottleProducerCommands?: boolean;
  /** Clock and timers, for tests. */
  readonly runtime?: Runtime;
}

const OPTIONS: ReadonlySet<string> = new Set<keyof SignalServerOptions>([
  "handler",
  "topicQuota",
  "resourceGroups",
  "brokerQuota",
  "throttleProducerReceiptWaitTimeMillis",
  "maxPendingMessages",
  "maxMessageBufferBytes",
  "maxConnections",
  "maxClosedTopics",
  "maxProducers",
  "maxOutgoingBytes",
  "maxFrameBytes",
  "maxUnconfirmedBytes",
  "maxBrokenPromiseBytes",
  "handshakeTimeout",
  "keepAlive",
  "supportsThrottleProducerCommands",
  "runtime",
]);

/** Options that were checked, with everything that was left out. */
export interface ServerSettings {
  readonly handler: Handler;
  readonly topicQuota: (topic: string) => TopicQuota | undefined;
  readonly resourceGroups: ReadonlyMap<string, Quota>;
  readonly brokerQuota: Quota;
  readonly receiptWaitMs: number;
  readonly maxPendingMessages: number;
  readonly maxMessageBufferBytes: number;
  readonly maxConnections: number;
  readonly maxClosedTopics: number;
  readonly maxProducers: number;
  readonly maxOutgoingBytes: number;
  readonly maxFrameBytes: number;
  readonly maxUnconfirmedBytes: number;
  readonly maxBrokenPromiseBytes: number;
  readonly handshakeMs: number;
  readonly keepAliveMs: number;
  readonly signals: boolean;
  readonly runtime: Runtime;
}

const MIB = 1_024 * 1_024;

/** @throws DtError `DT_INVALID_OPTION` */
export function checkServerOptions(options: SignalServerOptions): ServerSettings {
  checkKeys("options", options, OPTIONS);
  const { handler, topicQuota = () => undefined, resourceGroups = {}, brokerQuota = {} } = options;
  if (typeof handler?.publish !== "function") throw invalidOption("handler", handler, "give an object with publish");
  if (typeof topicQuota !== "function") throw invalidOption("topicQuota", topicQuota, "give a function of a topic");
  const maxFrameBytes = checkInteger(
    "maxFrameBytes",
    options.maxFrameBytes ?? LARGEST_FRAME_BYTES,
    FRAME_OVERHEAD_BYTES,
    LARGEST_FRAME_BYTES,
  );
  return {
    handler,
    topicQuota,
    resourceGroups: new Map(
      Object.entries(resourceGroups).map(([name, quota]) => [name, checkQuota(`resourceGroups.${name}`, quota)]),
    ),
    brokerQuota: checkQuota("brokerQuota", brokerQuota),
    receiptWaitMs: checkDuration(
      "throttleProducerReceiptWaitTimeMillis",
      options.throttleProducerReceiptWaitTimeMillis ?? 100,
      0,
    ),
    maxPendingMessages: checkInteger("maxPendingMessages", options.maxPendingMessages ?? 1_000, 1),
    maxMessageBufferBytes: checkInteger(
      "maxMessageBufferBytes",
      options.maxMessageBufferBytes ?? Math.max(64 * MIB, 2 * maxFrameBytes),
      2 * maxFrameBytes,
    ),
    maxConnections: checkInteger("maxConnections", options.maxConnections ?? 10_000, 1),
    maxClosedTopics: checkInteger("maxClosedTopics", options.maxClosedTopics ?? 100_000, 1),
    maxProducers: checkInteger("maxProducers", options.maxProducers ?? 1_000, 1),
    maxOutgoingBytes: checkInteger("maxOutgoingBytes", options.maxOutgoingBytes ?? MIB / 4, 1),
    maxFrameBytes,
    maxUnconfirmedBytes: checkInteger("maxUnconfirmedBytes", options.maxUnconfirmedBytes ?? MIB, 0),
    maxBrokenPromiseBytes: checkInteger("maxBrokenPromiseBytes", options.maxBrokenPromiseBytes ?? 64 * 1_024, 0),
    handshakeMs: checkDuration("handshakeTimeout", options.handshakeTimeout ?? 10_000, 1),
    keepAliveMs: checkDuration("keepAlive", options.keepAlive ?? 30_000, 1),
    signals: options.supportsThrottleProducerCommands ?? true,
    runtime: checkRuntime(options.runtime ?? systemRuntime),
  };
}

const QUOTA: ReadonlySet<string> = new Set<keyof TopicQuota>(["messagesPerSecond", "bytesPerSecond", "resourceGroup"]);

/** @throws DtError `DT_INVALID_OPTION` */
export function checkQuota<Q extends Quota>(what: string, quota: Q): Q {
  checkKeys(what, quota, QUOTA, `${what}.`);
  for (const name of ["messagesPerSecond", "bytesPerSecond"] as const) {
    const value = quota[name];
    if (value !== undefined && !(Number.isFinite(value) && value > 0))
      throw invalidOption(`${what}.${name}`, value, "give a number more than 0, or leave it out for no limit");
  }
  return quota;
}
