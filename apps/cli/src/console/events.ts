import type { ServerResponse } from "node:http";
import type { Frame, Mark } from "./protocol.ts";

/** The most pages that are served at a time. */
export const MOST_STREAMS = 32;

/** A comment is sent this often, so that a connection that is dead is found out. */
const HEARTBEAT_MS = 15_000;

/** A page that takes nothing for so long is cut off; a browser that is well connects again. */
const STUCK_MS = 60_000;

/** Marks that are kept for a page that is slow. */
const MOST_LATE_MARKS = 200;

/** The streams of server-sent events of all open pages. */
export class EventStreams {
  readonly #streams: Set<Stream> = new Set();
  readonly #heartbeat: NodeJS.Timeout;

  constructor() {
    this.#heartbeat = setInterval(() => {
      for (const stream of this.#streams) stream.beat();
    }, HEARTBEAT_MS);
    this.#heartbeat.unref();
  }

  /** Streams that are open. */
  get size(): number {
    return this.#streams.size;
  }

  /**
   * Makes a response a stream.
   * @param headers of the response, besides its type
   * @param hello the JSON of the first event
   * @returns false where too many are open; the response is untouched then
   */
  open(response: ServerResponse, headers: Readonly<Record<string, string>>, hello: string): boolean {
    if (this.#streams.size >= MOST_STREAMS) return false;
    const stream = new Stream(response);
    this.#streams.add(stream);
    response.once("close", () => this.#streams.delete(stream));
    response.writeHead(200, { ...headers, "Content-Type": "text/event-stream" });
    response.write(`retry: 1000\n\n${eventOf("hello", hello)}`);
    return true;
  }

  /** Sends a frame to all pages. */
  send(frame: Frame): void {
    if (this.#streams.size === 0) return;
    const event = eventOf("frame", JSON.stringify(frame));
    for (const stream of this.#streams) stream.send(frame, event);
  }

  /** Ends all streams. */
  close(): void {
    clearInterval(this.#heartbeat);
    for (const stream of this.#streams) stream.end();
  }
}

/** One page. What it has not taken is not piled up: it gets the newest frame, with all marks since its last one. */
class Stream {
  readonly #response: ServerResponse;
  #late: { readonly frame: Frame; readonly marks: readonly Mark[] } | undefined;
  #fullSinceMs: number | undefined;

  constructor(response: ServerResponse) {
    this.#response = response;
    response.on("drain", () => this.#drained());
  }

  send(frame: Frame, event: string): void {
    if (!this.#response.writableNeedDrain) {
      this.#response.write(event);
      return;
    }
    this.#late = { frame, marks: [...(this.#late?.marks ?? []), ...frame.marks].slice(-MOST_LATE_MARKS) };
  }

  beat(): void {
    if (!this.#response.writableNeedDrain) {
      this.#response.write(":\n\n");
      return;
    }
    const nowMs = performance.now();
    this.#fullSinceMs ??= nowMs;
    if (nowMs - this.#fullSinceMs >= STUCK_MS) this.#response.destroy();
  }

  end(): void {
    // What a page has not taken does not keep the console from ending.
    if (this.#response.writableNeedDrain) this.#response.destroy();
    else this.#response.end();
  }

  #drained(): void {
    this.#fullSinceMs = undefined;
    if (this.#late === undefined) return;
    const { frame, marks } = this.#late;
    this.#late = undefined;
    this.#response.write(eventOf("frame", JSON.stringify({ ...frame, marks })));
  }
}

/** JSON has no line breaks of its own. */
function eventOf(name: string, json: string): string {
  return `event: ${name}\ndata: ${json}\n\n`;
}
