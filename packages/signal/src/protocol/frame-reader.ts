import { protocolError } from "../errors.ts";
import { LARGEST_FRAME_BYTES } from "./frame.ts";

/** The smallest frame: a command's size, and a command of no bytes. */
const SMALLEST = 4;

/** The least room that is made for a frame that comes in parts, unless it is smaller itself. */
const FIRST_ROOM = 4_096;

const NOTHING = Buffer.alloc(0);

/**
 * Whether there is room to hold a frame that comes in parts in so many bytes: at most twice what has arrived, or 4 KiB.
 * Where there is none the reader stops, and asks again when it goes on.
 */
export type Grow = (bytes: number) => boolean;

/**
 * Cuts a stream of bytes into frames. It holds one chunk. Of a frame that comes in several chunks it also holds the
 * bytes that have arrived, in one piece. Room is made for these bytes, not for the size that a frame announces.
 */
export class FrameReader {
  readonly #largest: () => number;
  #chunk: Buffer = NOTHING;
  #at = 0;
  /** The four bytes of a frame's size, as far as they have arrived. */
  readonly #head = Buffer.alloc(4);
  #headLength = 0;
  /** What has come of a frame in parts, with room for more. */
  #frame: Buffer = NOTHING;
  #filled = 0;

  /** @param largest the most bytes that may follow a frame's size, now */
  constructor(largest: () => number = () => LARGEST_FRAME_BYTES) {
    this.#largest = largest;
  }

  /** Bytes that are held here: what is left of the chunk, and the room of a frame that came in part. */
  get bufferedBytes(): number {
    return this.#chunk.length - this.#at + this.#frame.length;
  }

  /** True when a frame has begun and not ended. */
  get partial(): boolean {
    return this.#headLength > 0;
  }

  /**
   * Takes the next chunk. Take the frames of the chunk before out first; the rest of that chunk is kept.
   * @param chunk bytes as they came
   */
  push(chunk: Buffer): void {
    this.#chunk = this.#at < this.#chunk.length ? Buffer.concat([this.#chunk.subarray(this.#at), chunk]) : chunk;
    this.#at = 0;
  }

  /**
   * The bytes after the size of the next frame; undefined when they are not all there, or there is no room. They are a
   * view of the chunk where the chunk has all of them.
   * @param grow whether a larger frame may take memory now
   * @throws DtError `DT_PROTOCOL` when a frame's size is out of bounds
   */
  next(grow: Grow = () => true): Buffer | undefined {
    if (!this.#readHead()) return undefined;
    const size = this.#head.readUInt32BE(0);
    const largest = this.#largest();
    if (size < SMALLEST || size > largest)
      throw protocolError(`the other side sent a frame of ${size} bytes, and at most ${largest} are allowed`);
    if (this.#filled === 0 && this.#chunk.length - this.#at >= size) return this.#view(size);
    return this.#fill(size, grow) ? this.#whole() : undefined;
  }

  #readHead(): boolean {
    const wanted = Math.min(4 - this.#headLength, this.#chunk.length - this.#at);
    this.#chunk.copy(this.#head, this.#headLength, this.#at, this.#at + wanted);
    this.#headLength += wanted;
    this.#passed(wanted);
    return this.#headLength === 4;
  }

  #view(size: number): Buffer {
    const whole = this.#chunk.subarray(this.#at, this.#at + size);
    this.#passed(size);
    this.#headLength = 0;
    return whole;
  }

  /** Adds what is there to the frame; false when that is not all of it, or there is no room. */
  #fill(size: number, grow: Grow): boolean {
    const filled = Math.min(size, this.#filled + this.#chunk.length - this.#at);
    if (filled > this.#frame.length) {
      const bytes = Math.min(size, Math.max(filled, 2 * this.#frame.length, FIRST_ROOM));
      if (!grow(bytes)) return false;
      const larger = Buffer.allocUnsafeSlow(bytes);
      this.#frame.copy(larger, 0, 0, this.#filled);
      this.#frame = larger;
    }
    this.#passed(this.#chunk.copy(this.#frame, this.#filled, this.#at, this.#at + filled - this.#filled));
    this.#filled = filled;
    return filled === size;
  }

  #whole(): Buffer {
    const frame = this.#frame;
    this.#frame = NOTHING;
    this.#filled = 0;
    this.#headLength = 0;
    return frame;
  }

  /** A chunk that is used up is let go, or every idle connection would keep one. */
  #passed(bytes: number): void {
    this.#at += bytes;
    if (this.#at < this.#chunk.length) return;
    this.#chunk = NOTHING;
    this.#at = 0;
  }
}
