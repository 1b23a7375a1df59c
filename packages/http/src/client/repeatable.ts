import type { OutgoingRequest } from "./options.ts";

/**
 * RFC 9110, 9.2.2: making such a request twice is meant to do what making it once does. QUERY is such a method, too.
 */
const IDEMPOTENT = new Set(["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", "QUERY"]);

/**
 * True when a request may be made twice: by its method, or because the server tells repetitions apart by its
 * `Idempotency-Key`. `unsafe` allows it for all others, too. Its body has to be there a second time as well: a stream
 * is gone once it was sent.
 */
export function isRepeatable(request: OutgoingRequest, body: unknown, unsafe: boolean): boolean {
  const safe = unsafe || IDEMPOTENT.has(request.method) || request.header("idempotency-key") !== undefined;
  return safe && isReplayable(body);
}

function isReplayable(body: unknown): boolean {
  if (body === undefined || body === null || typeof body === "string") return true;
  return (
    body instanceof ArrayBuffer ||
    ArrayBuffer.isView(body) ||
    body instanceof URLSearchParams ||
    body instanceof Blob ||
    body instanceof FormData
  );
}
