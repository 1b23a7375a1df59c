import type { OutgoingRequest } from "./options.ts";

/** What undici's `dispatch` is told of a request, as far as it is needed. */
export interface DispatchOptions {
  readonly origin?: string | URL;
  readonly path: string;
  readonly method: string;
  readonly body?: unknown;
  readonly headers?: unknown;
}

/** A request of undici's. */
export function undiciRequest({ origin, path, method, headers }: DispatchOptions): OutgoingRequest {
  return {
    method: method.toUpperCase(),
    origin: origin instanceof URL ? origin.origin : String(origin),
    path,
    header: (name) => {
      for (const [key, value] of fieldsOf(headers))
        if (String(key).toLowerCase() === name) return Array.isArray(value) ? value.join(", ") : String(value);
      return undefined;
    },
  };
}

/**
 * Header fields in all the forms that undici takes: names and values in turn, pairs, anything that gives pairs, or an
 * object.
 */
function* fieldsOf(headers: unknown): Generator<readonly unknown[]> {
  if (typeof headers !== "object" || headers === null) return;
  if (Array.isArray(headers) && !Array.isArray(headers[0])) {
    for (let at = 0; at + 1 < headers.length; at += 2) yield headers.slice(at, at + 2);
    return;
  }
  yield* Symbol.iterator in headers ? (headers as Iterable<readonly unknown[]>) : Object.entries(headers);
}
