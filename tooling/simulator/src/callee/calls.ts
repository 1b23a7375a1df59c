import type { Ticket } from "./admission.ts";

/** Where a call is: its client still waits for it; it is in the callee's queue; a server works on it. */
export const AWAITED = 1;
export const QUEUED = 2;
export const RUNNING = 4;
/** It will fail for a reason of its own. */
export const FAILING = 8;
/** It was refused by the callee. */
export const REFUSED = 16;

/**
 * The calls that are on their way, as columns. A place is used again once nobody knows the call any more; its version
 * tells the uses apart.
 */
export class Calls {
  client = new Int32Array(1_024);
  flags = new Uint8Array(1_024);
  version = new Int32Array(1_024);
  sentMs = new Float64Array(1_024);
  reachedMs = new Float64Array(1_024);
  startedMs = new Float64Array(1_024);
  doneMs = new Float64Array(1_024);
  /** How long it takes where calls do not slow each other down, in milliseconds. */
  serviceMs = new Float64Array(1_024);
  cost = new Float64Array(1_024);
  /** How long everything had stood still when work on it began. */
  pausedMs = new Float64Array(1_024);
  readonly ticket: (Ticket | undefined)[] = [];
  readonly #free: number[] = [];
  #used = 0;

  take(): number {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    if (this.#used === this.client.length) this.#grow();
    return this.#used++;
  }

  release(call: number): void {
    this.version[call] = (this.version[call] as number) + 1;
    this.flags[call] = 0;
    this.ticket[call] = undefined;
    this.#free.push(call);
  }

  #grow(): void {
    const size = 2 * this.client.length;
    this.client = grown(this.client, new Int32Array(size));
    this.flags = grown(this.flags, new Uint8Array(size));
    this.version = grown(this.version, new Int32Array(size));
    this.sentMs = grown(this.sentMs, new Float64Array(size));
    this.reachedMs = grown(this.reachedMs, new Float64Array(size));
    this.startedMs = grown(this.startedMs, new Float64Array(size));
    this.doneMs = grown(this.doneMs, new Float64Array(size));
    this.serviceMs = grown(this.serviceMs, new Float64Array(size));
    this.cost = grown(this.cost, new Float64Array(size));
    this.pausedMs = grown(this.pausedMs, new Float64Array(size));
  }
}

function grown<T extends { set(from: T): void }>(from: T, to: T): T {
  to.set(from);
  return to;
}
