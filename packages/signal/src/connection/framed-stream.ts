import type { Duplex } from "node:stream";
import { isDtError } from "@dt/core";
import type { Command } from "../protocol/commands.ts";
import { type Body, decodeFrame, encodeFrame, type Frame } from "../protocol/frame.ts";
import { FrameReader } from "../protocol/frame-reader.ts";

/** What a connection reports to its owner. */
export interface FrameListener {
  /** The most bytes that a frame may have now, after its size. */
  largest(): number;
  /**
   * A frame that comes in parts needs so many bytes now; false when there is no room for them. Reading is then to be
   * paused, and it is asked again after that.
   */
  grow(bytes: number): boolean;
  /**
   * A frame of so many bytes came. False when it cannot be taken yet: reading is then to be paused, and it comes again
   * after that.
   */
  frame(frame: Frame, bytes: number): boolean;
  /** All that was written has been handed to the system. */
  drained(): void;
  /** The connection is over. Comes once. */
  closed(error: Error | undefined): void;
}

/**
 * Frames over a byte stream: TCP, TLS, a Unix socket. Whatever is wrong with what comes in closes it, and does nothing
 * else.
 */
export class FramedStream {
  readonly #stream: Duplex;
  readonly #reader: FrameReader;
  readonly #listener: FrameListener;
  #waiting: { readonly frame: Frame; readonly bytes: number } | undefined;
  #paused = false;
  #draining = false;
  #closed = false;
  #corked = false;
  #frames = 0;

  constructor(stream: Duplex, listener: FrameListener) {
    this.#stream = stream;
    this.#reader = new FrameReader(() => listener.largest());
    sendAtOnce(stream);
    this.#listener = listener;
    stream.on("data", (chunk: Buffer) => {
      this.#reader.push(chunk);
      this.#drain();
    });
    stream.on("drain", () => listener.drained());
    // The other side is done: it would read no answer.
    stream.on("end", () => this.close());
    stream.on("error", (error: Error) => this.close(error));
    stream.on("close", () => this.close());
    if (stream.destroyed) queueMicrotask(() => this.close());
  }

  /** Bytes that came in and are held: here, and in the stream. */
  get incomingBytes(): number {
    return this.#reader.bufferedBytes + (this.#waiting?.bytes ?? 0) + this.#stream.readableLength;
  }

  /** Bytes that were written and not yet handed to the system. */
  get outgoingBytes(): number {
    return this.#stream.writableLength;
  }

  /** True while its owner should write nothing more until `drained`. */
  get full(): boolean {
    return this.#stream.writableNeedDrain;
  }

  /** How many frames came, and whether another one has begun. */
  get progress(): { readonly frames: number; readonly partial: boolean } {
    return { frames: this.#frames, partial: this.#reader.partial };
  }

  get closedAlready(): boolean {
    return this.#closed;
  }

  /** Writes a command. What is written in one turn goes out together. */
  send(command: Command, body?: Body): void {
    if (this.#closed) return;
    if (!this.#corked) {
      this.#corked = true;
      this.#stream.cork();
      queueMicrotask(() => {
        this.#corked = false;
        this.#stream.uncork();
      });
    }
    this.#stream.write(encodeFrame(command, body));
  }

  /** Reads nothing more for now. */
  pause(): void {
    this.#paused = true;
    this.#stream.pause();
  }

  /** Reads on, beginning with what is here already. */
  resume(): void {
    this.#paused = false;
    this.#drain();
    if (!this.#paused && !this.#closed) this.#stream.resume();
  }

  /** Ends the connection, at once. */
  close(error?: Error): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#waiting = undefined;
    this.#stream.destroy();
    this.#listener.closed(error);
  }

  /** Ends the connection once what was written has gone out. */
  end(): void {
    this.#stream.end();
  }

  #drain(): void {
    // What is done with a frame may pause and resume; the loop that runs already goes on then.
    if (this.#draining) return;
    this.#draining = true;
    try {
      while (!this.#paused && !this.#closed && this.#one());
    } catch (error) {
      // What our own code throws is not the other side's doing: it is closed all the same, and says what it was.
      this.close(isDtError(error) ? error : new Error("a frame could not be handled", { cause: error }));
    } finally {
      this.#draining = false;
    }
  }

  #one(): boolean {
    const next = this.#waiting ?? this.#next();
    if (next === undefined) return false;
    this.#waiting = this.#listener.frame(next.frame, next.bytes) ? undefined : next;
    return this.#waiting === undefined;
  }

  #next(): { readonly frame: Frame; readonly bytes: number } | undefined {
    const bytes = this.#reader.next((size) => this.#listener.grow(size));
    if (bytes === undefined) return undefined;
    this.#frames += 1;
    return { frame: decodeFrame(bytes), bytes: bytes.length };
  }
}

/**
 * Frames are small, and what is written in one turn goes out together as it is: a socket of TCP or TLS that gathered
 * small writes until the other side has acknowledged the last ones would hold each of them up by as much as 40 ms.
 */
function sendAtOnce(stream: Duplex & { setNoDelay?: (noDelay: boolean) => unknown }): void {
  if (typeof stream.setNoDelay === "function") stream.setNoDelay(true);
}
