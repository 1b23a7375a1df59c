import { itemsOfBody } from "./body-items.ts";

/** What is reported of the work of one call. */
export interface WorkListener {
  /** The result of the call, or an item of its stream. */
  item(value: unknown): void;
  /** The work has ended: once. */
  ended(): void;
}

/** The ways in which a response reads its whole body. */
const READERS = ["arrayBuffer", "blob", "bytes", "formData", "json", "text"] as const;

type AnyIterator = AsyncIterator<unknown> & { [Symbol.asyncIterator]?: unknown };

/**
 * Listens to the end of a call's work. Of a stream that is when it is read to its end, fails, or is left: an async
 * iterable, a `ReadableStream`, the body of a `Response`, or the `stream` of an object, as providers of the AI SDK
 * return it. Of any other result it is now. Returns the same object: a copy would lose what else it has.
 */
export function watchWork(value: unknown, listener: WorkListener): unknown {
  const once = onceOnly(listener);
  try {
    if (isResponse(value)) return watchResponse(value, once);
    if (isReadableStream(value)) return watchStream(value, once);
    if (isAsyncIterable(value)) return watchIterable(value, once);
    const stream = streamIn(value);
    if (stream) {
      watchStream(stream, once);
      return value;
    }
    once.item(value);
  } catch {
    // It cannot be watched: it is frozen, for example.
  }
  once.ended();
  return value;
}

function onceOnly(listener: WorkListener): WorkListener {
  let isOver = false;
  return {
    item: (value) => {
      if (!isOver) listener.item(value);
    },
    ended: () => {
      if (isOver) return;
      isOver = true;
      listener.ended();
    },
  };
}

function watchIterable<Value extends object>(value: Value, listener: WorkListener): Value {
  const watched = new WeakSet<AnyIterator>();
  const watch = (iterator: AnyIterator): AnyIterator => {
    if (watched.has(iterator)) return iterator;
    watched.add(iterator);
    return watchIterator(iterator, listener);
  };
  // A generator is its own iterator, and may be read without asking for one.
  if (typeof (value as Partial<AnyIterator>).next === "function") watch(value as unknown as AnyIterator);
  // The streams of OpenAI's SDK make their iterators by a field, which `tee` reads past the standard name.
  for (const name of [Symbol.asyncIterator, "iterator"] as const) {
    const open = (value as Readonly<Record<string | symbol, unknown>>)[name];
    if (typeof open !== "function" || (name === "iterator" && !Object.hasOwn(value, name))) continue;
    define(value, name, () => watch(open.call(value)));
  }
  return value;
}

function watchIterator(iterator: AnyIterator, listener: WorkListener): AnyIterator {
  for (const name of ["next", "return", "throw"] as const) {
    const step = iterator[name];
    if (typeof step !== "function") continue;
    define(iterator, name, async (...given: unknown[]) => {
      try {
        const result = await (step as (...given: unknown[]) => Promise<IteratorResult<unknown>>).apply(iterator, given);
        if (result.done) listener.ended();
        else listener.item(result.value);
        return result;
      } catch (error) {
        listener.ended();
        throw error;
      }
    });
  }
  // A loop that is left tells only an iterator that can be told.
  if (iterator.return === undefined)
    define(iterator, "return", async (value: unknown) => {
      listener.ended();
      return { done: true, value };
    });
  return iterator;
}

/** A stream is watched through its readers: what pipes or iterates it asks for one. */
function watchStream<Value extends ReadableStream<unknown>>(stream: Value, listener: WorkListener): Value {
  const source = { getReader: stream.getReader.bind(stream), cancel: stream.cancel.bind(stream) };
  let watched: ReadableStream<unknown> | undefined;
  const through = (): ReadableStream<unknown> => {
    watched ??= listened(source, listener);
    return watched;
  };
  for (const name of ["getReader", "pipeTo", "pipeThrough", "tee", "cancel", "values", Symbol.asyncIterator] as const) {
    if (typeof (stream as unknown as Readonly<Record<string | symbol, unknown>>)[name] !== "function") continue;
    define(stream, name, (...given: unknown[]) => {
      const to = through() as unknown as Record<string | symbol, (...given: unknown[]) => unknown>;
      return to[name]?.(...given);
    });
  }
  define(stream, "locked", () => watched?.locked ?? false, true);
  return stream;
}

/** The same stream, with an ear at its end. It asks for nothing before it is read. */
function listened(
  source: { getReader: () => ReadableStreamDefaultReader<unknown>; cancel: (reason?: unknown) => Promise<void> },
  listener: WorkListener,
): ReadableStream<unknown> {
  let reader: ReadableStreamDefaultReader<unknown> | undefined;
  return new ReadableStream<unknown>(
    {
      async pull(controller) {
        try {
          reader ??= source.getReader();
          const { done, value } = await reader.read();
          if (!done) {
            listener.item(value);
            return controller.enqueue(value);
          }
        } catch (error) {
          listener.ended();
          throw error;
        }
        listener.ended();
        controller.close();
      },
      async cancel(reason) {
        listener.ended();
        await (reader ? reader.cancel(reason) : source.cancel(reason));
      },
    },
    { highWaterMark: 0 },
  );
}

/** A response's work is its body. Its readers, and those of its copies, read the stream that is watched. */
function watchResponse(response: Response, listener: WorkListener): Response {
  const source = bodyOf(response);
  if (!isReadableStream(source())) {
    listener.item(response);
    listener.ended();
    return response;
  }
  const type = response.headers.get("content-type");
  const items = itemsOfBody(type ?? "", (item) => listener.item(item));
  const watched = listened(
    { getReader: () => source().getReader(), cancel: (reason) => source().cancel(reason) },
    {
      item: (chunk) => items.chunk(chunk),
      ended: () => {
        items.end();
        listener.ended();
      },
    },
  ) as ReadableStream<Uint8Array>;
  const { clone } = response;
  define(response, "clone", () => watchResponse(clone.call(response), listener));
  define(response, "body", () => watched, true);
  define(response, "bodyUsed", () => watched.locked, true);
  for (const name of READERS) {
    // Node 20 has no `bytes`.
    if (typeof response[name] !== "function") continue;
    define(response, name, async () => {
      const copy = new Response(watched, type === null ? {} : { headers: { "content-type": type } });
      return copy[name]();
    });
  }
  return response;
}

/** Asks for the body as it was before it was watched: another program may watch it already, or have copied it. */
function bodyOf(response: Response): () => ReadableStream<Uint8Array> {
  const own = Object.getOwnPropertyDescriptor(response, "body");
  if (own) return () => own.get?.call(response) ?? own.value;
  return () => Reflect.get(Object.getPrototypeOf(response), "body", response);
}

function isResponse(value: unknown): value is Response {
  return typeof Response === "function" && value instanceof Response;
}

function isReadableStream(value: unknown): value is ReadableStream<Uint8Array> {
  return typeof (value as Partial<ReadableStream> | null | undefined)?.getReader === "function";
}

/** The field itself: a getter may make a new stream each time. */
function streamIn(value: unknown): ReadableStream<unknown> | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const stream: unknown = Object.getOwnPropertyDescriptor(value, "stream")?.value;
  return isReadableStream(stream) ? stream : undefined;
}

function isAsyncIterable(value: unknown): value is object & AsyncIterable<unknown> {
  return (
    typeof value === "object" &&
    value !== null &&
    typeof (value as Partial<AsyncIterable<unknown>>)[Symbol.asyncIterator] === "function"
  );
}

function define(object: object, name: string | symbol, value: unknown, isGetter = false): void {
  const descriptor = isGetter ? { get: value as () => unknown } : { value, writable: true };
  Object.defineProperty(object, name, { ...descriptor, configurable: true });
}
