/** The ways in which a response reads its whole body. */
const READERS = ["arrayBuffer", "blob", "bytes", "formData", "json", "text"] as const;

/**
 * Hears once how the body of a response ends: it was read to its end, cancelled, or failed with an error. Returns the
 * same object: a copy would lose its `url` and whatever else cannot be handed to a new one. A body that nobody reads
 * never ends.
 */
export function watchBody(response: Response, ended: (error?: unknown) => void): Response {
  for (const name of READERS) {
    const read = response[name] as (() => Promise<unknown>) | undefined;
    // Node 20 has no `bytes`.
    if (read === undefined) continue;
    define(response, name, {
      value: () =>
        read.call(response).then(
          (value) => {
            ended();
            return value;
          },
          (error: unknown) => {
            ended(error);
            throw error;
          },
        ),
    });
  }
  const clone = response.clone;
  define(response, "clone", { value: () => watchBody(clone.call(response), ended) });
  let watched: ReadableStream<Uint8Array> | undefined;
  const source = bodyOf(response);
  define(response, "body", {
    get: () => {
      watched ??= watchStream(source, ended);
      return watched;
    },
  });
  return response;
}

/**
 * Asks for the body as it was before it was watched. The response may be of a class of its own, as that of undici's own
 * `fetch` is, and it may be watched already.
 */
function bodyOf(response: Response): () => ReadableStream<Uint8Array> {
  const own = Object.getOwnPropertyDescriptor(response, "body");
  const read = (): unknown =>
    own ? (own.get?.call(response) ?? own.value) : Reflect.get(Object.getPrototypeOf(response), "body", response);
  return read as () => ReadableStream<Uint8Array>;
}

function define(response: Response, name: string, descriptor: PropertyDescriptor): void {
  Object.defineProperty(response, name, { ...descriptor, configurable: true });
}

/**
 * The same stream, with an ear at its end. It asks for nothing before it is read, so that a response whose `body` was
 * only looked at can still be read as text, or cloned: the source is then another one.
 */
function watchStream(
  source: () => ReadableStream<Uint8Array>,
  ended: (error?: unknown) => void,
): ReadableStream<Uint8Array> {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  const pull = async (controller: {
    enqueue(chunk: Uint8Array): void;
    close(): void;
    readonly byobRequest?: { respond(bytes: number): void } | null;
  }): Promise<void> => {
    try {
      reader ??= source().getReader();
      let next = await reader.read();
      // A stream of bytes refuses empty chunks.
      while (!next.done && next.value.byteLength === 0) next = await reader.read();
      if (!next.done) return controller.enqueue(next.value);
    } catch (error) {
      ended(error);
      throw error;
    }
    ended();
    controller.close();
    controller.byobRequest?.respond(0);
  };
  const cancel = async (reason: unknown): Promise<void> => {
    ended();
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
