import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { promisify } from "node:util";
import * as zlib from "node:zlib";
import { parseExactly } from "./exact-json.ts";

/** An answer that is longer, also once it is decompressed, is an error: output files hold answers, not downloads. */
const LONGEST_BYTES = 1024 * 1024;

/** What is written of an answer that is no text, or whose content coding cannot be undone. */
export interface Binary {
  readonly base64: string;
  readonly "content-type"?: string;
  readonly "content-encoding"?: string;
}

/**
 * What an answer holds: JSON parsed, text as text, all else as base64.
 * @throws Error when it is too long, or what the connection says
 */
export async function bodyOf(answer: IncomingMessage): Promise<unknown> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of answer as AsyncIterable<Buffer>) {
    length += piece.length;
    if (length > LONGEST_BYTES) throw tooLong();
    pieces.push(piece);
  }
  return contentOf(Buffer.concat(pieces), answer.headers);
}

/** Takes an answer that is of no use, so that its connection can be used again; never rejects. */
export async function discard(answer: IncomingMessage): Promise<void> {
  let length = 0;
  try {
    for await (const piece of answer as AsyncIterable<Buffer>) {
      length += piece.length;
      if (length > LONGEST_BYTES) return;
    }
  } catch {
    // Its status is known all the same.
  }
}

async function contentOf(sent: Buffer, headers: IncomingHttpHeaders): Promise<unknown> {
  const encoding = headers["content-encoding"];
  const bytes = await decoded(sent, encoding);
  const text = bytes && textOf(bytes, headers["content-type"]);
  if (text === undefined) return binary(bytes ?? sent, headers["content-type"], bytes ? undefined : encoding);
  return /[/+]json\b/i.test(headers["content-type"] ?? "") ? parsedOr(text) : text;
}

function binary(bytes: Buffer, type: string | undefined, encoding: string | undefined): Binary {
  return {
    base64: bytes.toString("base64"),
    ...(type === undefined ? {} : { "content-type": type }),
    ...(encoding === undefined ? {} : { "content-encoding": encoding }),
  };
}

type Decoder = (bytes: Buffer, options: { readonly maxOutputLength: number }) => Promise<Buffer>;

const inflate: Decoder = promisify(zlib.inflate);
const inflateRaw: Decoder = promisify(zlib.inflateRaw);
const gunzip: Decoder = promisify(zlib.gunzip);
/** Node 22.15 and newer. */
const zstd = (zlib as { readonly zstdDecompress?: typeof zlib.gunzip }).zstdDecompress;

const DECODERS: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ["identity", async (bytes) => bytes],
  ["gzip", gunzip],
  ["x-gzip", gunzip],
  ["br", promisify(zlib.brotliDecompress)],
  // Servers send it with a header, as the standard has it, and without.
  ["deflate", (bytes, options) => ((bytes[0] ?? 0) % 16 === 8 ? inflate : inflateRaw)(bytes, options)],
  ...(zstd ? [["zstd", promisify(zstd) as Decoder] as const] : []),
]);

/**
 * Undoes the content codings, the last one first; undefined when one is unknown or the bytes are not in it.
 * @throws Error when the result is too long
 */
async function decoded(sent: Buffer, encoding = "identity"): Promise<Buffer | undefined> {
  if (sent.length === 0) return sent;
  let bytes = sent;
  for (const name of encoding.toLowerCase().split(",").reverse()) {
    const decoder = DECODERS.get(name.trim());
    if (decoder === undefined) return undefined;
    try {
      bytes = await decoder(bytes, { maxOutputLength: LONGEST_BYTES });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") throw tooLong();
      return undefined;
    }
  }
  return bytes;
}

/** Undefined when the bytes are no text in the charset that the type names, or in UTF-8 where it names none. */
function textOf(bytes: Buffer, type = ""): string | undefined {
  const [, charset = "utf-8"] = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(type) ?? [];
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** What a callee calls JSON and is none, or is nested too deeply to be written again, is text. */
function parsedOr(text: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    return text;
  }
}

function tooLong(): Error {
  return new Error(`The answer is longer than ${LONGEST_BYTES} bytes`);
}
