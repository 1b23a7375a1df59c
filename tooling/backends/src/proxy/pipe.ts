import type { Socket } from "node:net";

/** What a pipe does with what comes in. */
export type PipeMode =
  | { readonly type: "pass"; readonly delayMs: number }
  /**
   * Nothing gets through and nothing is lost, as TCP has it in a partition: all of it arrives when the network is whole
   * again.
   */
  | { readonly type: "stall" }
  /** Everything is lost without a sign. */
  | { readonly type: "discard" };

interface Piece {
  readonly dueMs: number;
  /** Undefined for the end of the stream. */
  readonly chunk: Buffer | undefined;
}

/**
 * One direction of a connection. Order is kept whatever the delays are; what waits is not bounded, since callers here
 * say little.
 */
export class Pipe {
  readonly #to: Socket;
  #mode: PipeMode = { type: "pass", delayMs: 0 };
  #queue: Piece[] = [];
  #timer: NodeJS.Timeout | undefined;
  #lost = false;

  constructor(to: Socket) {
    this.#to = to;
  }

  /** True once bytes were discarded: the stream has a hole and must not go on. */
  get lost(): boolean {
    return this.#lost;
  }

  set mode(mode: PipeMode) {
    this.#mode = mode;
    if (mode.type === "discard" && this.#queue.length > 0) this.#discard();
    this.#pump();
  }

  /** Takes a chunk, or the end of the stream. */
  push(chunk: Buffer | undefined): void {
    if (this.#mode.type === "discard") {
      this.#lost = true;
      return;
    }
    const delayMs = this.#mode.type === "pass" ? this.#mode.delayMs : 0;
    const last = this.#queue.at(-1)?.dueMs ?? 0;
    this.#queue.push({ dueMs: Math.max(last, performance.now() + delayMs), chunk });
    this.#pump();
  }

  /** Forgets everything. */
  close(): void {
    clearTimeout(this.#timer);
    this.#queue = [];
  }

  #discard(): void {
    this.#lost = true;
    this.close();
  }

  #pump(): void {
    clearTimeout(this.#timer);
    if (this.#mode.type !== "pass") return;
    for (let next = this.#queue[0]; next; next = this.#queue[0]) {
      const waitMs = next.dueMs - performance.now();
      if (waitMs > 0) {
        this.#timer = setTimeout(() => this.#pump(), Math.ceil(waitMs));
        return;
      }
      this.#queue.shift();
      if (next.chunk === undefined) this.#to.end();
      else if (this.#to.writable) this.#to.write(next.chunk);
    }
  }
}
