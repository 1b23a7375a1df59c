import { packageName } from "@dt/core/internal";
import { protocolError } from "../errors.ts";
import { dt } from "./generated/messages.js";
import { numberOf, reasonOf, type ThrottlingReason } from "./reason.ts";

/** What a side understands beyond the first version. */
export interface FeatureFlags {
  /** True when the client understands `throttleProducer`. */
  readonly supportsThrottleProducerCommands?: boolean;
}

/** The fields of every command, by its name. See signal.proto for what they mean. */
export interface Commands {
  /** The first frame of a client: its version, and the features that it understands. */
  readonly connect: { readonly clientVersion: string; readonly featureFlags?: FeatureFlags };
  /** The server's answer to `connect`. */
  readonly connected: {
    readonly serverVersion: string;
    readonly featureFlags?: FeatureFlags;
    readonly maxFrameSize?: number;
  };
  /** Asks for a producer of a topic. */
  readonly createProducer: OfRequest & OfProducer & { readonly topic: string; readonly producerName: string };
  /** The producer exists. */
  readonly producerSuccess: OfRequest & { readonly producerName: string; readonly lastSequenceId: number };
  /** Publishes one message. */
  readonly send: OfProducer & { readonly sequenceId: number };
  /** The message is stored. */
  readonly sendReceipt: OfProducer & { readonly sequenceId: number; readonly messageId: number };
  /** The message was refused, and why. */
  readonly sendError: OfProducer & { readonly sequenceId: number; readonly message: string };
  /** Closes a producer. */
  readonly closeProducer: OfRequest & OfProducer;
  /** Asks for a consumer of a topic. */
  readonly subscribe: OfRequest & OfConsumer & { readonly topic: string; readonly fromMessageId?: number };
  /** Allows the server to send so many more messages. */
  readonly flow: OfConsumer & { readonly permits: number };
  /** A message for a consumer. */
  readonly message: OfConsumer & { readonly messageId: number };
  /** Closes a consumer. */
  readonly closeConsumer: OfRequest & OfConsumer;
  /** The request was carried out. */
  readonly success: OfRequest;
  /** The request was refused, and why. */
  readonly error: OfRequest & { readonly message: string };
  /** Asks whether the other end is there. */
  readonly ping: Record<never, never>;
  /** The answer to `ping`. */
  readonly pong: Record<never, never>;
  /** The server throttles a producer (PIP-385). */
  readonly throttleProducer: OfRequest &
    OfProducer & { readonly throttlingReason: ThrottlingReason; readonly pauseForMillis: number };
  /** The client has received `throttleProducer` (PIP-385). */
  readonly throttleProducerReceipt: OfRequest;
}

interface OfRequest {
  readonly requestId: number;
}

interface OfProducer {
  readonly producerId: number;
}

interface OfConsumer {
  readonly consumerId: number;
}

/** The name of a command. */
export type CommandType = keyof Commands;

/** A command with its fields. */
export type Command = { readonly [Type in CommandType]: { readonly type: Type } & Commands[Type] }[CommandType];

/** What a command must come with, or without: a payload. */
export const WITH_PAYLOAD: ReadonlySet<CommandType> = new Set<CommandType>(["send", "message"]);

/** Whole numbers up to here are exact. Larger ones are not accepted, though the wire has room for them. */
const LARGEST = Number.MAX_SAFE_INTEGER;

/** The bytes of a command, without its frame. */
export function encodeCommand({ type, ...fields }: Command): Uint8Array {
  return dt.signal.Command.encode({ [type]: "throttlingReason" in fields ? onTheWire(fields) : fields }).finish();
}

/**
 * A command from its bytes.
 * @throws DtError `DT_PROTOCOL` when they are none
 */
export function decodeCommand(bytes: Uint8Array): Command {
  const message = decoded("command", () => dt.signal.Command.decode(bytes));
  // The generated getter of the one that is set looks at all of them, which is a sixth of what a message costs.
  const [type] = Object.keys(message) as CommandType[];
  if (type === undefined) throw protocolError("the other side sent a command that is not known here");
  const fields = (message as Readonly<Record<CommandType, Readonly<Record<string, unknown>>>>)[type];
  const command: Record<string, unknown> = { type };
  for (const name of Object.keys(fields)) command[name] = plain(name, fields[name]);
  return command as unknown as Command;
}

/** What goes with a payload, without its frame. */
export interface Metadata {
  /** Messages of one key go to one partition. */
  readonly key?: string;
}

/** The bytes of what goes with a payload. */
export function encodeMetadata(metadata: Metadata): Uint8Array {
  return dt.signal.MessageMetadata.encode(metadata).finish();
}

/**
 * What goes with a payload, from its bytes.
 * @throws DtError `DT_PROTOCOL` when they are none
 */
export function decodeMetadata(bytes: Uint8Array): Metadata {
  const { ...metadata } = decoded("metadata", () => dt.signal.MessageMetadata.decode(bytes)) as Metadata;
  return metadata;
}

function onTheWire<Fields extends { readonly throttlingReason: ThrottlingReason }>(fields: Fields): object {
  return { ...fields, throttlingReason: numberOf(fields.throttlingReason) };
}

function decoded(what: string, decode: () => object): object {
  try {
    return decode();
  } catch (error) {
    throw protocolError(`the other side sent a ${what} that cannot be read`, error);
  }
}

/** 64-bit numbers come as objects of two halves, nested messages as instances of generated classes. */
function plain(name: string, value: unknown): unknown {
  if (name === "throttlingReason") return reasonOf(value);
  if (typeof value !== "object" || value === null) return value;
  if ("toNumber" in value) {
    const number = (value as { toNumber(): number }).toNumber();
    if (number > LARGEST) throw protocolError(`the other side sent ${name} ${value}, more than ${LARGEST}`);
    return number;
  }
  return { ...value };
}

/** What each side calls itself in the handshake. Nothing follows from it: abilities are feature flags. */
export const VERSION: string = `${packageName("signal")} 1`;
