import { LARGEST_FRAME_BYTES } from "./frame.ts";
import { protocolError } from "./protocol-error.ts";

/** The smallest frame: a command's size, and a command of no bytes. */
const SMALLEST = 4;

const NOTHING = Buffer.alloc(0);

/**
 * Cuts a stream of bytes into frames. Holds one chunk, and of a frame that comes in several chunks its bytes, in one
 * piece of its size: however small the chunks are, they take no more room than what they carry.
 */
export class FrameReader {
  readonly #largest: number;
  #chunk: Buffer = NOTHING;
  #at = 0;
  /** The four bytes that say a frame's size, as far as they are there. */
  readonly #head = Buffer.alloc(4);
  #headLength = 0;
  /** A frame that came in part. */
  #frame: Buffer | undefined;
  #filled = 0;

  /** @param largest the most bytes that may follow a frame's size */
  constructor(largest: number = LARGEST_FRAME_BYTES) {
    this.#largest = largest;
  }

  /** Bytes that are held here: what is left of the chunk, and a frame that came in part at its full size. */
  get bufferedBytes(): number {
    return this.#chunk.length - this.#at + (this.#frame?.length ?? 0);
  }

  /** True when a frame has begun and not ended. */
  get partial(): boolean {
    return this.#headLength > 0;
  }

  /** Takes the next chunk. Frames of the one before are to be taken out first; what is left of it is kept. */
  push(chunk: Buffer): void {
    this.#chunk = this.#at < this.#chunk.length ? Buffer.concat([this.#chunk.subarray(this.#at), chunk]) : chunk;
    this.#at = 0;
  }

  /**
   * The bytes after the size of the next frame; undefined when they are not all there, or it is not admitted. They are
   * a view of the chunk where that has all of them.
   * @param admit told the size of a frame before room is made for it, as often as it is asked for until it says yes
   * @throws DtError `DT_PROTOCOL` when a frame's size is out of bounds
   */
  next(admit: (bytes: number) => boolean = () => true): Buffer | undefined {
    if (this.#frame === undefined) {
      if (!this.#readHead()) return undefined;
      const size = this.#head.readUInt32BE(0);
      if (size < SMALLEST || size > this.#largest)
        throw protocolError(`the other side sent a frame of ${size} bytes, and at most ${this.#largest} are allowed`);
      if (!admit(size)) return undefined;
      if (this.#chunk.length - this.#at >= size) {
        const whole = this.#chunk.subarray(this.#at, this.#at + size);
        this.#passed(size);
        this.#headLength = 0;
        return whole;
      }
      this.#frame = Buffer.allocUnsafeSlow(size);
      this.#filled = 0;
    }
    return this.#fill(this.#frame);
  }

  #readHead(): boolean {
    const wanted = Math.min(4 - this.#headLength, this.#chunk.length - this.#at);
    this.#chunk.copy(this.#head, this.#headLength, this.#at, this.#at + wanted);
    this.#headLength += wanted;
    this.#passed(wanted);
    return this.#headLength === 4;
  }

  #fill(frame: Buffer): Buffer | undefined {
    const copied = this.#chunk.copy(frame, this.#filled, this.#at);
    this.#filled += copied;
    this.#passed(copied);
    if (this.#filled < frame.length) return undefined;
    this.#frame = undefined;
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
