import type { Runtime } from "@dt/core";
import type { Call, Outcome } from "../../src/index.ts";

/** A clock that stands where it is put, chance from a seed, and no timers. */
export class LoopRuntime implements Runtime {
  nowMs = 0;
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  now(): number {
    return this.nowMs;
  }

  random(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  setTimer(): never {
    throw new Error("nothing here waits");
  }
}

/**
 * A callee that takes `capacity` calls a second, those of a second at once if it must, and refuses the others (a token
 * bucket, as most quotas are).
 */
export interface Demand {
  readonly capacity: number;
  /** Calls a second that are asked for at a time in seconds. They come at random (Poisson). */
  readonly rate: (second: number) => number;
  /** False while the callee refuses everything. Default always true. */
  readonly up?: (second: number) => boolean;
  /** How a call ends that is taken. Default `success`. */
  readonly taken?: (runtime: Runtime) => Outcome;
  /** How a call ends while the callee is down. Default `overload`. */
  readonly down?: Outcome;
  /** How long a call takes that is refused. Default 20. */
  readonly latencyMs?: number;
  /** How long a call takes that is not. Default the same. */
  readonly takenMs?: number;
  /** The calls of so many seconds may come at once. Default 1. */
  readonly burstSeconds?: number;
  readonly seconds: number;
}

/** What happened in each second. */
export interface Second {
  asked: number;
  sent: number;
  taken: number;
}

/** Plays the demand against whatever lets calls through. */
export function play(demand: Demand, runtime: LoopRuntime, enter: () => Call | undefined): Second[] {
  const { capacity, rate, up = () => true, taken = () => "success", down = "overload", latencyMs = 20 } = demand;
  const { takenMs = latencyMs } = demand;
  const chance = new LoopRuntime(Math.floor(runtime.random() * 2 ** 31));
  const book: Second[] = Array.from({ length: demand.seconds }, () => ({ asked: 0, sent: 0, taken: 0 }));
  const ends: { atMs: number; call: Call; outcome: Outcome }[] = [];
  const burst = Math.max(1, capacity * (demand.burstSeconds ?? 1));
  let tokens = burst;
  let filledMs = 0;
  let nextMs = 0;
  while (nextMs < demand.seconds * 1_000) {
    while (ends[0] && ends[0].atMs <= nextMs) {
      const end = ends.shift() as (typeof ends)[number];
      runtime.nowMs = end.atMs;
      end.call.settle(end.outcome);
    }
    runtime.nowMs = nextMs;
    const second = Math.floor(nextMs / 1_000);
    const row = book[second] as Second;
    row.asked += 1;
    const call = enter();
    if (call !== undefined) {
      row.sent += 1;
      tokens = Math.min(burst, tokens + ((nextMs - filledMs) * capacity) / 1_000);
      filledMs = nextMs;
      let outcome: Outcome = "overload";
      if (!up(second)) outcome = down;
      else if (tokens >= 1) {
        tokens -= 1;
        row.taken += 1;
        outcome = taken(chance);
      }
      const atMs = nextMs + (outcome === "success" ? takenMs : latencyMs);
      const before = ends.findLastIndex((end) => end.atMs <= atMs);
      ends.splice(before + 1, 0, { atMs, call, outcome });
    }
    nextMs += (-Math.log(1 - chance.random()) * 1_000) / rate(nextMs / 1_000);
  }
  return book;
}

/** Sums over the seconds from `from` to before `to`. */
export function sum(book: readonly Second[], from: number, to: number): Second {
  const total: Second = { asked: 0, sent: 0, taken: 0 };
  for (const { asked, sent, taken } of book.slice(from, to)) {
    total.asked += asked;
    total.sent += sent;
    total.taken += taken;
  }
  return total;
}
