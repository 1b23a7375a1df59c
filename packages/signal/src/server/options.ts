import type { Runtime } from "@dt/core";
import {
  checkDuration,
  checkInteger,
  checkKeys,
  type Duration,
  invalidOption,
  option,
  parseRate,
  type Settings,
  settingsOf,
  type TableOf,
} from "@dt/core/internal";
import { FRAME_OVERHEAD_BYTES, LARGEST_FRAME_BYTES } from "../protocol/frame.ts";
import type { Handler } from "./handler.ts";
import type { Quota } from "./limiter.ts";

/** A topic's quota, and the resource group that it counts in as well. */
export interface TopicQuota extends Quota {
  /** The group of topics that share a quota. */
  readonly resourceGroup?: string | undefined;
}

/** Options of `createSignalServer`. */
export interface SignalServerOptions {
  /** Keeps the messages, and gives them to consumers. */
  readonly handler: Handler;
  /**
   * The quota of a topic, asked when its first producer comes.
   * @default none
   */
  readonly topicQuota?: (topic: string) => TopicQuota | undefined;
  /**
   * Quotas of the groups that topics name.
   * @default none
   */
  readonly resourceGroups?: Readonly<Record<string, Quota>>;
  /**
   * What all connections together may send.
   * @default no limit
   */
  readonly brokerQuota?: Quota;
  /**
   * How long a client has to confirm a signal. After that its connection is not read until the throttle ends.
   * @default 100 ms
   */
  readonly throttleProducerReceiptWaitTimeMillis?: number;
  /**
   * Messages of one connection that the handler has not yet dealt with. At so many the connection is not read until
   * half of them are done.
   * @default 1,000
   */
  readonly maxPendingMessages?: number;
  /**
   * Room for frames of all connections that have come in part, or that the handler has not yet dealt with, in bytes.
   * Frames that have come in part take half of it at most, for the bytes that have arrived. 64 KiB of each of these
   * frames do not count.
   * @default 64 MiB; at least two frames
   */
  readonly maxMessageBufferBytes?: number;
  /**
   * Most connections. One more takes the place of the oldest whose client has not sent its greeting; where there is
   * none, it is closed at once.
   * @default 10,000
   */
  readonly maxConnections?: number;
  /**
   * Topics that have no producer any more, and whose quota is not full again. They are remembered, or a new producer
   * would begin with a full quota. With so many, a producer of a topic that is not known is refused.
   * @default 100,000
   */
  readonly maxClosedTopics?: number;
  /**
   * Producers and consumers of one connection.
   * @default 1,000
   */
  readonly maxProducers?: number;
  /**
   * Answers and messages that one connection's client has not yet read, in bytes. With more, the connection is not read
   * until the client has read them.
   * @default 256 KiB
   */
  readonly maxOutgoingBytes?: number;
  /**
   * Most bytes after a frame's size.
   * @default 5 MiB
   */
  readonly maxFrameBytes?: number;
  /**
   * Payload that a connection's throttled producers may still send, in bytes a second: messages that were on their way
   * when the signal was sent. With more, the connection is not read until the pause ends.
   * @default 1 MiB
   */
  readonly maxUnconfirmedBytes?: number;
  /**
   * Payload that a connection's producers may still send after they confirmed to send nothing, in bytes a minute. A
   * client that sends more receives no signal for a minute: its connection is paused instead.
   * @default 64 KiB
   */
  readonly maxBrokenPromiseBytes?: number;
  /**
   * How long a client has to send its greeting.
   * @default 10 s
   */
  readonly handshakeTimeout?: Duration;
  /**
   * Silence after which the server asks a client for a sign; after as long again it closes the connection. A client has
   * the same time to finish a frame, and to read its answers.
   * @default 30 s
   */
  readonly keepAlive?: Duration;
  /**
   * False for a server of before the signal: it pauses connections, and sends no signal.
   * @default true
   */
  readonly supportsThrottleProducerCommands?: boolean;
  /**
   * Clock and timers, for tests.
   * @default none
   */
  readonly runtime?: Runtime;
}

/** Options that were checked, with everything that was left out. */
export interface ServerSettings extends Settings<Omit<SignalServerOptions, "resourceGroups">> {
  readonly resourceGroups: ReadonlyMap<string, Quota>;
}

const MIB = 1_024 * 1_024;

const SERVER = {
  handler: option.having<Handler>(["publish"], "give an object with publish"),
  topicQuota: option.callback<SignalServerOptions["topicQuota"]>("give a function of a topic").or(() => undefined),
  resourceGroups: option.checked(checkQuotas).or({}),
  brokerQuota: option.checked((name, quota) => checkQuota(name, quota as Quota)).or({}),
  throttleProducerReceiptWaitTimeMillis: option.checked((name, given) => checkDuration(name, given, 0)).or(100),
  maxPendingMessages: option.integer(1).or(1_000),
  maxMessageBufferBytes: option.later,
  maxConnections: option.integer(1).or(10_000),
  maxClosedTopics: option.integer(1).or(100_000),
  maxProducers: option.integer(1).or(1_000),
  maxOutgoingBytes: option.integer(1).or(MIB / 4),
  maxFrameBytes: option.integer(FRAME_OVERHEAD_BYTES, LARGEST_FRAME_BYTES).or(LARGEST_FRAME_BYTES),
  maxUnconfirmedBytes: option.integer(0).or(MIB),
  maxBrokenPromiseBytes: option.integer(0).or(64 * 1_024),
  handshakeTimeout: option.duration(1).or(10_000),
  keepAlive: option.duration(1).or(30_000),
  supportsThrottleProducerCommands: option.boolean.or(true),
  runtime: option.runtime,
} satisfies TableOf<SignalServerOptions>;

/** @throws DtError `DT_INVALID_OPTION` */
export function checkServerOptions(options: SignalServerOptions): ServerSettings {
  const settings = settingsOf(SERVER, options);
  const least = 2 * settings.maxFrameBytes;
  const { maxMessageBufferBytes = Math.max(64 * MIB, least) } = options;
  return {
    ...settings,
    maxMessageBufferBytes: checkInteger("maxMessageBufferBytes", maxMessageBufferBytes, least),
  };
}

function checkQuotas(name: string, given: unknown): ReadonlyMap<string, Quota> {
  if (typeof given !== "object" || given === null) throw invalidOption(name, given, "give quotas by name");
  return new Map(Object.entries(given).map(([group, quota]) => [group, checkQuota(`${name}.${group}`, quota)]));
}

const QUOTA: ReadonlySet<string> = new Set<keyof TopicQuota>(["rate", "byteRate", "resourceGroup"]);

/** @throws DtError `DT_INVALID_OPTION` */
export function checkQuota<Q extends Quota>(what: string, quota: Q): Q {
  checkKeys(what, quota, QUOTA, `${what}.`);
  for (const name of ["rate", "byteRate"] as const) {
    const value = quota[name];
    if (value !== undefined) parseRate(`${what}.${name}`, value);
  }
  return quota;
}
