import type { BodyClock } from "./body-clock.ts";

/** Hears of a body. */
export type BodyListener = Pick<BodyClock, "reading" | "idle" | "ended">;

/** The ways in which a response reads its whole body. */
const READERS = ["arrayBuffer", "blob", "bytes", "formData", "json", "text"] as const;

/**
 * Tells who is waited for in the body of a response, and how it ends: it was read to its end, cancelled, or failed with
 * an error. Returns the same object: a copy would lose its `url` and whatever else cannot be handed to a new one.
 *
 * It may be of any class. A body that is a web stream is watched piece by piece. Of any other, such as the Node stream
 * of node-fetch, only the end is heard. A response that cannot be watched, such as a frozen one, counts as read.
 * @param pieces whether each piece is waited for by itself, also by those who read the whole body
 */
export function watchBody(response: Response, listener: BodyListener, pieces: boolean): Response {
  const source = bodyOf(response);
  const body = source();
  try {
    const watched = isWebStream(body) ? watchedBody(source as () => ReadableStream<Uint8Array>, listener) : undefined;
    for (const name of READERS) {
      const read = response[name] as (() => Promise<unknown>) | undefined;
      // Node 20 has no `bytes`.
      if (typeof read !== "function") continue;
      const value =
        pieces && watched ? () => readPieces(response, watched(), name) : listened(response, read, listener);
      define(response, name, { value });
    }
    const { clone } = response;
    if (typeof clone === "function")
      define(response, "clone", { value: () => watchBody(clone.call(response), listener, pieces) });
    if (watched) define(response, "body", { get: watched });
    else listenToNode(body, listener);
    listener.idle();
  } catch {
    listener.ended();
  }
  return response;
}

/** True where there is something to read. */
export function hasBody(response: Response): boolean {
  const { body, headers } = response;
  if (body === null || headers?.get?.("content-length") === "0") return false;
  return body !== undefined || READERS.some((name) => typeof response[name] === "function");
}

/** Frees the connection of an answer that nobody will read. */
export function letGo(response: Response | undefined): void {
  if (response === undefined || response.bodyUsed) return;
  const { cancel, destroy } = (response.body ?? {}) as { cancel?: () => Promise<void>; destroy?: () => void };
  // It may have failed already, which nobody wants to know.
  if (cancel) cancel.call(response.body).catch(() => undefined);
  else destroy?.call(response.body);
}

/** Reads the whole body as the response would, and is told of. */
function listened(response: Response, read: () => Promise<unknown>, listener: BodyListener) {
  return async () => {
    listener.reading();
    try {
      const value = await read.call(response);
      listener.ended();
      return value;
    } catch (error) {
      listener.ended(error);
      throw error;
    }
  };
}

/** The same from a stream that is watched. Async: what cannot be read twice is to reject. */
async function readPieces(
  { headers }: Response,
  body: ReadableStream<Uint8Array>,
  name: (typeof READERS)[number],
): Promise<unknown> {
  const type = headers?.get?.("content-type");
  return new Response(body, type ? { headers: { "content-type": type } } : {})[name]();
}

/** A stream of Node's says when it is done with. Its errors are for whoever reads it. */
function listenToNode(body: unknown, listener: BodyListener): void {
  const { once, on } = (body ?? {}) as Partial<Record<"once" | "on", (event: string, then: () => void) => void>>;
  if (typeof once !== "function" || typeof on !== "function") return;
  once.call(body, "end", () => listener.ended());
  once.call(body, "close", () => listener.ended((body as { readonly errored?: unknown }).errored ?? undefined));
}

/**
 * Asks for the body as it was before it was watched. The response may be of a class of its own, as that of undici's own
 * `fetch` is, and it may be watched already.
 */
function bodyOf(response: Response): () => unknown {
  const own = Object.getOwnPropertyDescriptor(response, "body");
  if (own) return () => own.get?.call(response) ?? own.value;
  return () => Reflect.get(Object.getPrototypeOf(response), "body", response);
}

function isWebStream(body: unknown): boolean {
  return typeof (body as { readonly getReader?: unknown } | null | undefined)?.getReader === "function";
}

function define(response: Response, name: string, descriptor: PropertyDescriptor): void {
  Object.defineProperty(response, name, { ...descriptor, configurable: true });
}

function watchedBody(source: () => ReadableStream<Uint8Array>, listener: BodyListener) {
  let watched: ReadableStream<Uint8Array> | undefined;
  return () => {
    watched ??= watchStream(source, listener);
    return watched;
  };
}

/**
 * The same stream, with an ear at its end. It asks for nothing before it is read, so that a response whose `body` was
 * only looked at can still be read as text, or cloned: the source is then another one.
 */
function watchStream(source: () => ReadableStream<Uint8Array>, listener: BodyListener): ReadableStream<Uint8Array> {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  const pull = async (controller: {
    enqueue(chunk: Uint8Array): void;
    close(): void;
    readonly byobRequest?: { respond(bytes: number): void } | null;
  }): Promise<void> => {
    try {
      listener.reading();
      reader ??= source().getReader();
      let next = await reader.read();
      // A stream of bytes refuses empty chunks.
      while (!next.done && next.value.byteLength === 0) next = await reader.read();
      if (!next.done) {
        listener.idle();
        return controller.enqueue(next.value);
      }
    } catch (error) {
      listener.ended(error);
      throw error;
    }
    listener.ended();
    controller.close();
    controller.byobRequest?.respond(0);
  };
  const cancel = async (reason: unknown): Promise<void> => {
    listener.ended();
    await (reader ?? source()).cancel(reason);
  };
  const strategy = { highWaterMark: 0 };
  if (!isByteStream(source())) return new ReadableStream<Uint8Array>({ pull, cancel }, strategy);
  return new ReadableStream({ type: "bytes", pull, cancel }, strategy) as ReadableStream<Uint8Array>;
}

function isByteStream(stream: ReadableStream<Uint8Array>): boolean {
  try {
    stream.getReader({ mode: "byob" }).releaseLock();
    return true;
  } catch {
    return false;
  }
}
