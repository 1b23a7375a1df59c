/** A frame that is coming, as the budget knows it. */
export type Coming = object;

/**
 * The room that all connections of a server share for what they have sent and the server has not yet dealt with: for
 * messages, and for frames that come in parts. These take half of the room at most, so that a frame that is sent
 * slowly, or not to its end, is not in the way of messages that are here.
 *
 * Frames that come in parts could wait for each other's room for ever. So of their half the room of a largest frame
 * stays free for one of them at a time: its turn lasts until it is whole.
 */
export class BufferBudget {
  readonly #bound: number;
  readonly #partsBound: number;
  readonly #turnBytes: number;
  /** Who is told when half of the room is free. */
  readonly #forRoom = new Set<() => void>();
  /** Who is told when a frame that came in parts is over. */
  readonly #forTurn = new Set<() => void>();
  #messages = 0;
  #parts = 0;
  #most = 0;
  #turn: Coming | undefined;

  /** @param bound bytes; at least two of the largest frames */
  constructor(bound: number, largestFrame: number) {
    this.#bound = bound;
    this.#partsBound = Math.floor(bound / 2);
    this.#turnBytes = largestFrame;
  }

  get used(): number {
    return this.#messages + this.#parts;
  }

  /** The most that was ever used. */
  get most(): number {
    return this.#most;
  }

  /** Whether there is so much more room. */
  fits(bytes: number): boolean {
    return this.used + bytes <= this.#bound;
  }

  /** Takes room for a message; false when there is not so much. */
  take(bytes: number): boolean {
    if (!this.fits(bytes)) return false;
    this.#messages += bytes;
    this.#most = Math.max(this.#most, this.used);
    return true;
  }

  give(bytes: number): void {
    this.#messages -= bytes;
    this.#freed();
  }

  /** Takes so much more room for a frame that is coming; false when there is not so much, or it is another's turn. */
  takePart(bytes: number, frame: Coming): boolean {
    if (!this.fits(bytes)) return false;
    if (frame !== this.#turn && this.#parts + bytes > this.#partsBound - this.#turnBytes) {
      if (this.#turn !== undefined) return false;
      this.#turn = frame;
    }
    this.#parts += bytes;
    this.#most = Math.max(this.#most, this.used);
    return true;
  }

  /** Gives back what a frame has taken: it is whole, or will not be. */
  giveParts(bytes: number, frame: Coming): void {
    this.#parts -= bytes;
    if (this.#turn === frame) this.#turn = undefined;
    wakeAll(this.#forTurn);
    this.#freed();
  }

  /** True while it is the frame's turn, and others may have to wait for it. */
  hasTurn(frame: Coming): boolean {
    return this.#turn === frame;
  }

  /** Calls back once when it is worth trying again to take so many bytes that there was no room for. */
  whenFree(bytes: number, wake: () => void): void {
    (this.fits(bytes) ? this.#forTurn : this.#forRoom).add(wake);
  }

  forget(wake: () => void): void {
    this.#forRoom.delete(wake);
    this.#forTurn.delete(wake);
  }

  #freed(): void {
    if (this.used <= this.#bound / 2) wakeAll(this.#forRoom);
  }
}

/** Not at once: who wakes takes room and gives it back, and so on, as deep as there are connections. */
function wakeAll(waiting: Set<() => void>): void {
  if (waiting.size === 0) return;
  const all = [...waiting];
  waiting.clear();
  for (const wake of all) queueMicrotask(wake);
}
