import { Random } from "../random.ts";
import type { Book } from "./book.ts";
import { type Calls, FAILING, QUEUED, REFUSED, RUNNING } from "./calls.ts";
import type { EventHeap } from "./event-heap.ts";
import { CHANGE, DONE, PAUSE, RESUME } from "./events.ts";
import { type CalleeState, changed, slowdown, stateAt } from "./ideal.ts";
import { Ring } from "./ring.ts";
import type { Callee } from "./scenario.ts";

/** The callee: a queue, and servers that take from it. `reply` is told of every call that it is done with. */
export class Servers {
  readonly #callee: Callee;
  readonly #calls: Calls;
  readonly #heap: EventHeap;
  readonly #book: Book;
  readonly #reply: (call: number, nowMs: number) => void;
  readonly #chance: Random;
  readonly #queue = new Ring();
  readonly #bound: number;
  #state: CalleeState;
  /** Calls in the queue whose client has not cancelled them. */
  #waiting = 0;
  /** Servers at work. */
  #running = 0;
  #paused = false;
  /** How long everything has stood still so far, the present pause to its end included. */
  #pausedMs = 0;

  constructor(
    callee: Callee,
    seed: number,
    calls: Calls,
    heap: EventHeap,
    book: Book,
    reply: (call: number, nowMs: number) => void,
  ) {
    this.#callee = callee;
    this.#calls = calls;
    this.#heap = heap;
    this.#book = book;
    this.#reply = reply;
    this.#chance = new Random(seed, "callee");
    this.#bound = callee.queue ?? Number.POSITIVE_INFINITY;
    this.#state = stateAt(callee, 0);
    callee.changes?.forEach((change, index) => {
      heap.add(1_000 * change.atSeconds, CHANGE, index);
    });
    this.#pauseLater(0);
  }

  get waiting(): number {
    return this.#waiting;
  }

  get failures(): number {
    return this.#state.failures;
  }

  reached(call: number, nowMs: number): void {
    const calls = this.#calls;
    calls.reachedMs[call] = nowMs;
    calls.startedMs[call] = nowMs;
    const flags = calls.flags[call] as number;
    if (this.#state.refusals > 0 && this.#chance.chance(this.#state.refusals)) this.#refuse(call, nowMs);
    else if ((flags & FAILING) !== 0) this.#reply(call, nowMs);
    else if (this.#waiting === 0 && this.#fits(call)) this.#start(call, nowMs);
    else if (this.#waiting >= this.#bound) this.#refuse(call, nowMs);
    else {
      calls.flags[call] = flags | QUEUED;
      this.#queue.push(call);
      this.#waiting += 1;
      this.#book.waiting.set(this.#waiting, nowMs);
    }
  }

  /** A server has done its work, unless everything stood still meanwhile. */
  done(call: number, nowMs: number): void {
    const calls = this.#calls;
    const lateMs = this.#pausedMs - (calls.pausedMs[call] as number);
    if (lateMs > 0) {
      calls.pausedMs[call] = this.#pausedMs;
      this.#heap.add(nowMs + lateMs, DONE, call, calls.version[call] as number);
      return;
    }
    calls.flags[call] = (calls.flags[call] as number) & ~RUNNING;
    this.#freed(call, nowMs);
    this.#reply(call, nowMs);
  }

  /** Its client has given it up. True when nobody knows the call any more. */
  cancelled(call: number, nowMs: number): boolean {
    const flags = this.#calls.flags[call] as number;
    if ((flags & RUNNING) !== 0) {
      this.#freed(call, nowMs);
      return true;
    }
    if ((flags & QUEUED) === 0) return false;
    this.#calls.flags[call] = flags & ~QUEUED;
    this.#waiting -= 1;
    this.#book.waiting.set(this.#waiting, nowMs);
    // It may have been the one that was too large for the servers that are free.
    this.#startWaiting(nowMs);
    return false;
  }

  change(index: number, nowMs: number): void {
    const change = this.#callee.changes?.[index];
    if (change !== undefined) this.#state = changed(this.#state, change);
    this.#startWaiting(nowMs);
  }

  pause(nowMs: number): void {
    const lastMs = this.#callee.pauses?.lastMs ?? 0;
    this.#paused = true;
    this.#pausedMs += lastMs;
    this.#heap.add(nowMs + lastMs, RESUME, 0);
  }

  resume(nowMs: number): void {
    this.#paused = false;
    this.#startWaiting(nowMs);
    this.#pauseLater(nowMs);
  }

  #pauseLater(nowMs: number): void {
    const { pauses } = this.#callee;
    if (pauses !== undefined) this.#heap.add(nowMs - pauses.everyMs * Math.log1p(-this.#chance.next()), PAUSE, 0);
  }

  #refuse(call: number, nowMs: number): void {
    this.#calls.flags[call] = (this.#calls.flags[call] as number) | REFUSED;
    this.#reply(call, nowMs);
  }

  /** One that is larger than the whole runs alone. */
  #fits(call: number): boolean {
    if (this.#paused) return false;
    return this.#running === 0 || this.#running + (this.#calls.cost[call] as number) <= this.#state.servers;
  }

  #freed(call: number, nowMs: number): void {
    this.#running -= this.#calls.cost[call] as number;
    this.#book.running.set(this.#running, nowMs);
    this.#startWaiting(nowMs);
  }

  #startWaiting(nowMs: number): void {
    while (this.#waiting > 0) {
      const call = this.#queue.first();
      const flags = this.#calls.flags[call] as number;
      if ((flags & QUEUED) === 0) {
        this.#queue.shift();
        this.#calls.release(call);
        continue;
      }
      if (!this.#fits(call)) return;
      this.#queue.shift();
      this.#calls.flags[call] = flags & ~QUEUED;
      this.#waiting -= 1;
      this.#book.waiting.set(this.#waiting, nowMs);
      this.#start(call, nowMs);
    }
  }

  #start(call: number, nowMs: number): void {
    const calls = this.#calls;
    this.#running += calls.cost[call] as number;
    const serviceMs = (calls.serviceMs[call] as number) * this.#state.slower;
    const lastsMs = serviceMs * slowdown(this.#callee, this.#running);
    calls.flags[call] = (calls.flags[call] as number) | RUNNING;
    calls.startedMs[call] = nowMs;
    calls.pausedMs[call] = this.#pausedMs;
    calls.serviceMs[call] = serviceMs;
    this.#heap.add(nowMs + lastsMs, DONE, call, calls.version[call] as number);
    this.#book.running.set(this.#running, nowMs);
    this.#book.begun(nowMs, nowMs - (calls.reachedMs[call] as number), lastsMs);
  }
}
