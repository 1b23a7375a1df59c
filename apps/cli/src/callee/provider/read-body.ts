import type { IncomingMessage } from "node:http";
import { BadAsk } from "./ask.ts";

/** Half a megabyte: 131,072 tokens of four characters. */
const LARGEST_BODY = 512 * 1_024;

/**
 * The body of a request. What is too large is read to its end and not kept: a client that still sends may not read.
 * @returns undefined where the client left before it had sent everything
 * @throws BadAsk where it is too large
 */
export async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size <= LARGEST_BODY) chunks.push(chunk);
    }
  } catch {
    return undefined;
  }
  if (size <= LARGEST_BODY) return Buffer.concat(chunks).toString();
  throw new BadAsk(413, `the body is larger than ${LARGEST_BODY} bytes`);
}
