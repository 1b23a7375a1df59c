export { Consumer, type Message } from "./client/consumer.ts";
export type { SendOptions, SignalClientOptions } from "./client/options.ts";
export type { Receipt } from "./client/outgoing.ts";
export { PartitionedProducer, partitionName } from "./client/partitioned-producer.ts";
export { Producer, type Throttled } from "./client/producer.ts";
export {
  type ClientEvents,
  createSignalClient,
  type ProducerOptions,
  SignalClient,
  type SubscribeOptions,
} from "./client/signal-client.ts";
export {
  isProducerThrottled,
  isSignalError,
  ProducerThrottledError,
  SignalError,
  type SignalErrorCode,
} from "./errors.ts";
export type { ThrottleCount } from "./metrics/throttle-counts.ts";
export type { Command, Commands, CommandType, FeatureFlags, Metadata } from "./protocol/commands.ts";
export { type Body, decodeFrame, encodeFrame, type Frame, LARGEST_FRAME_BYTES } from "./protocol/frame.ts";
export { FrameReader } from "./protocol/frame-reader.ts";
export { concernsConnection, type ThrottlingReason, throttlingReasons } from "./protocol/reason.ts";
export type { Cursor, Handler, Published, Stored } from "./server/handler.ts";
export type { Quota } from "./server/limiter.ts";
export type { SignalServerOptions, TopicQuota } from "./server/options.ts";
export { type ConnectionStatus, ServerConnection } from "./server/server-connection.ts";
export type { SignalCounts } from "./server/signal-counts.ts";
export { createSignalServer, type ServerEvents, type ServerMetrics, SignalServer } from "./server/signal-server.ts";
export type { ThrottleOutcome } from "./server/signals.ts";
export type { LimiterName } from "./server/topic-limits.ts";
