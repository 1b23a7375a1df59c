import type { Runtime, Timer } from "@dt/core";
import type { BufferBudget } from "./buffer-budget.ts";

/** So much of a frame that comes in parts is held outside the shared room: smaller frames never wait for others'. */
export const OWN_BYTES: number = 64 * 1_024;

/** How long a frame may take while others may have to wait for it. */
const TURN_MS = 5_000;

/** What one connection's room needs of it. */
export interface FrameRoomHome {
  readonly runtime: Runtime;
  readonly budget: BufferBudget;
  /** There is no room: nothing is to be read until {@link found}. */
  readonly missing: () => void;
  readonly found: () => void;
  /** True while nothing is read for want of room. */
  readonly waits: () => boolean;
  /** A frame has had its turn for so many milliseconds, and is still not whole, or not taken. */
  readonly late: (ms: number) => void;
}

/** The shared room that one connection has for the frame that is coming: for what has arrived, not for what is to. */
export class FrameRoom {
  readonly #home: FrameRoomHome;
  #bytes = 0;
  /** What is waited for, 0 when nothing is. */
  #wanted = 0;
  #turn: Timer | undefined;

  constructor(home: FrameRoomHome) {
    this.#home = home;
  }

  /** Bytes taken of the shared room. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The frame is to be held in so many bytes; false when there is no room for them. */
  grow(bytes: number): boolean {
    const more = bytes - OWN_BYTES - this.#bytes;
    if (more <= 0 || this.#take(more)) {
      this.#wanted = 0;
      return true;
    }
    this.#wanted = more;
    this.#home.missing();
    this.#wait();
    return false;
  }

  /** Whether the frame, which is here, can become a message of so many bytes: in the room that it has, and more. */
  fits(bytes: number): boolean {
    return this.#home.budget.fits(bytes - this.#bytes);
  }

  /** The frame becomes a message, which {@link fits}: its room is that message's. */
  becomeMessage(bytes: number): void {
    this.end();
    this.#home.budget.take(bytes);
  }

  /** The frame has been dealt with. */
  end(): void {
    this.#turn?.cancel();
    this.#turn = undefined;
    if (this.#bytes === 0) return;
    const bytes = this.#bytes;
    this.#bytes = 0;
    this.#home.budget.giveParts(bytes, this);
  }

  close(): void {
    this.#home.budget.forget(this.#wake);
    this.end();
  }

  readonly #wake = (): void => {
    // Reading may have gone on by other ways, and has what it waited for.
    if (this.#wanted === 0) return;
    // The time in which there was no room does not count.
    this.#turn?.cancel();
    this.#turn = undefined;
    if (this.#take(this.#wanted)) {
      this.#wanted = 0;
      this.#home.found();
    } else this.#wait();
  };

  #take(bytes: number): boolean {
    const { budget } = this.#home;
    if (!budget.takePart(bytes, this)) return false;
    this.#bytes += bytes;
    if (budget.hasTurn(this) && this.#turn === undefined) this.#begin();
    return true;
  }

  /** Its turn begins; anew where it is the server that has no room when it is over. */
  #begin(): void {
    const { runtime, waits, late } = this.#home;
    const over = (): void => (waits() ? this.#begin() : late(TURN_MS));
    this.#turn = runtime.setTimer(over, TURN_MS, { keepAlive: false });
  }

  #wait(): void {
    this.#home.budget.whenFree(this.#wanted, this.#wake);
  }
}
