import type { OutgoingRequest } from "./options.ts";

/** What `fetch` is called with. */
export type FetchInput = Parameters<typeof fetch>[0];
export type FetchInit = NonNullable<Parameters<typeof fetch>[1]>;

/** A call of `fetch`, as far as it has to be known before it is made. */
export interface FetchRequest extends OutgoingRequest {
  /** False for `data:`, `blob:` and the like, which go to nobody. */
  readonly overHttp: boolean;
  /** The body that is to be sent. That of a `Request` is a stream. */
  readonly body: unknown;
  readonly signal: AbortSignal | undefined;
}

/** @throws TypeError as `fetch` rejects with, when it is no address */
export function fetchRequest(input: FetchInput, init: FetchInit): FetchRequest {
  // Not by its class: undici has one of its own.
  const given = typeof input === "object" && "url" in input ? input : undefined;
  const { protocol, origin, pathname, search } = new URL(given?.url ?? String(input));
  let headers: Headers | undefined;
  return {
    method: (init.method ?? given?.method ?? "GET").toUpperCase(),
    origin,
    path: pathname + search,
    overHttp: protocol === "http:" || protocol === "https:",
    body: init.body ?? given?.body,
    // Null in `init` stands for: not that of the Request either.
    signal: (init.signal === undefined ? given?.signal : init.signal) ?? undefined,
    header: (name) => {
      headers ??= new Headers(init.headers ?? given?.headers);
      return headers.get(name) ?? undefined;
    },
  };
}
