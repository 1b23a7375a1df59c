import type { IncomingMessage } from "node:http";

/** The largest body of a request, in bytes. */
export const MOST_BODY_BYTES = 65_536;

/** A body is larger than {@link MOST_BODY_BYTES}. */
export class BodyTooLarge extends Error {
  constructor() {
    super(`the body has more than ${MOST_BODY_BYTES} bytes`);
  }
}

/** Reads the body of a request as text. @throws BodyTooLarge as soon as it is known */
export async function readBody(request: IncomingMessage): Promise<string> {
  if (Number(request.headers["content-length"] ?? 0) > MOST_BODY_BYTES) throw new BodyTooLarge();
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request.iterator({ destroyOnReturn: false })) {
    bytes += (part as Buffer).length;
    if (bytes > MOST_BODY_BYTES) throw new BodyTooLarge();
    parts.push(part as Buffer);
  }
  return Buffer.concat(parts).toString("utf8");
}
