import { protocolError } from "../errors.ts";
import {
  type Command,
  decodeCommand,
  decodeMetadata,
  encodeCommand,
  encodeMetadata,
  type Metadata,
  WITH_PAYLOAD,
} from "./commands.ts";
import { crc32c } from "./crc32c.ts";

/** Pulsar's limit: nothing after a frame's first four bytes may be longer than 5 MiB. */
export const LARGEST_FRAME_BYTES: number = 5 * 1_024 * 1_024;

/** What a frame needs besides its payload at most: sizes, the command, metadata with a key of 1,024 bytes. */
export const FRAME_OVERHEAD_BYTES = 2_048;

/** Pulsar's mark before a checksum. */
const MAGIC = 0x0e01;

const NO_METADATA = encodeMetadata({});

/** What goes with a message. */
export interface Body {
  /** The message's metadata, as bytes. */
  readonly metadata: Metadata;
  /** The message's bytes. */
  readonly payload: Uint8Array;
}

/** What is in a frame. */
export interface Frame {
  /** The frame's command. */
  readonly command: Command;
  /**
   * There with `send` and `message`, and with no other command. The payload is a view of the bytes that were read: to
   * keep it, copy it.
   */
  readonly body: Body | undefined;
}

/**
 * A frame in Pulsar's layout. First come its size and the command's size in four bytes each, then the command. With a
 * payload there follow 0x0e01, the CRC-32C of everything after it, the metadata's size, the metadata and the payload.
 * @param command the frame's command
 * @param body the message, where the command carries one
 * @example socket.write(encodeFrame({ type: "ping" }));
 */
export function encodeFrame(command: Command, body?: Body): Buffer {
  const head = encodeCommand(command);
  const start = 8 + head.length;
  const metadata = body && (body.metadata.key === undefined ? NO_METADATA : encodeMetadata(body.metadata));
  const frame = Buffer.allocUnsafe(start + (body && metadata ? 10 + metadata.length + body.payload.length : 0));
  frame.writeUInt32BE(frame.length - 4, 0);
  frame.writeUInt32BE(head.length, 4);
  frame.set(head, 8);
  if (body && metadata) {
    frame.writeUInt16BE(MAGIC, start);
    frame.writeUInt32BE(metadata.length, start + 6);
    frame.set(metadata, start + 10);
    frame.set(body.payload, start + 10 + metadata.length);
    frame.writeUInt32BE(crc32c(frame.subarray(start + 6)), start + 2);
  }
  return frame;
}

/**
 * What is in the bytes after a frame's size.
 * @param bytes one whole frame
 * @throws DtError `DT_PROTOCOL` when the bytes are against the layout, the checksum is wrong, or the command has a
 *   payload that it may not have, or none where it must
 * @example const { command, body } = decodeFrame(bytes);
 */
export function decodeFrame(bytes: Buffer): Frame {
  const size = bytes.length < 4 ? -1 : bytes.readUInt32BE(0);
  if (size < 0 || size > bytes.length - 4) throw protocolError("the other side sent a command longer than its frame");
  const command = decodeCommand(bytes.subarray(4, 4 + size));
  const rest = bytes.subarray(4 + size);
  if (rest.length > 0 !== WITH_PAYLOAD.has(command.type))
    throw protocolError(`the other side sent ${command.type} ${rest.length > 0 ? "with" : "without"} a payload`);
  return { command, body: rest.length > 0 ? decodeBody(rest) : undefined };
}

function decodeBody(bytes: Buffer): Body {
  if (bytes.length < 10 || bytes.readUInt16BE(0) !== MAGIC)
    throw protocolError("the other side sent a payload without a checksum");
  if (crc32c(bytes.subarray(6)) !== bytes.readUInt32BE(2))
    throw protocolError("the other side sent a payload that its checksum is wrong for");
  const size = bytes.readUInt32BE(6);
  if (size > bytes.length - 10) throw protocolError("the other side sent metadata longer than its frame");
  return { metadata: decodeMetadata(bytes.subarray(10, 10 + size)), payload: bytes.subarray(10 + size) };
}
