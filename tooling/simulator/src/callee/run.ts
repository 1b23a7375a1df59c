import type { CalleeReport } from "@dt/adaptive";
import type { Runtime } from "@dt/core";
import { Random } from "../random.ts";
import type { Admission } from "./admission.ts";
import { Book } from "./book.ts";
import { AWAITED, Calls, FAILING, REFUSED } from "./calls.ts";
import { type Client, clientsOf } from "./client.ts";
import { EventHeap } from "./event-heap.ts";
import { ARRIVAL, CANCEL, CHANGE, DONE, PAUSE, REACHED, REPLY, RESUME, SAMPLE, TIMER } from "./events.ts";
import { BIN_MS, startOf } from "./ideal.ts";
import { type Limiter, limiterNamed } from "./limiters.ts";
import { Ring } from "./ring.ts";
import type { Scenario } from "./scenario.ts";
import { Servers } from "./servers.ts";

export interface RunOptions {
  readonly seed: number;
  /** Makes what one client asks before it sends. Its time and chance are those of the world. */
  readonly admission: (runtime: Runtime) => Admission;
  /** Whether answers say how long the call waited in the callee's queue. */
  readonly signal: boolean;
}

/** How long clients are left to find their places before they are compared, after the last one came. */
const ALL_THERE_SECONDS = 20;

/** Runs a scenario from beginning to end, in virtual time: the same options give the same book. */
export function run(scenario: Scenario, options: RunOptions): Book {
  return new World(scenario, options).run();
}

class World {
  readonly #scenario: Scenario;
  readonly #signal: boolean;
  readonly #calls = new Calls();
  readonly #heap = new EventHeap();
  readonly #clients: readonly Client[];
  readonly #servers: Servers;
  readonly #book: Book;
  /** Calls in the order in which they were sent, and so of their timeouts. Two numbers for each: place and version. */
  readonly #timeouts = new Ring();
  readonly #timers: (() => void)[] = [];
  #nowMs = 0;
  #inflight = 0;

  constructor(scenario: Scenario, { seed, admission, signal }: RunOptions) {
    this.#scenario = scenario;
    this.#signal = signal;
    this.#clients = clientsOf(scenario, seed, (name, limiter) =>
      (limiter === undefined ? admission : (limiterNamed(limiter) as Limiter).admission)(this.#runtime(seed, name)),
    );
    const last = Math.max(...scenario.clients.map((kind) => startOf(kind, (kind.count ?? 1) - 1)));
    this.#book = new Book(scenario, this.#clients.length, last === 0 ? 0 : last + ALL_THERE_SECONDS);
    this.#servers = new Servers(scenario.callee, seed, this.#calls, this.#heap, this.#book, (call, nowMs) =>
      this.#answer(call, nowMs),
    );
    this.#clients.forEach((client, index) => {
      for (const atMs of client.firstMs()) this.#heap.add(atMs, ARRIVAL, index);
    });
    this.#heap.add(BIN_MS, SAMPLE, 0);
  }

  run(): Book {
    const endMs = 1_000 * this.#scenario.seconds;
    for (;;) {
      const timeoutMs = this.#nextTimeoutMs();
      const eventMs = this.#heap.nextMs;
      const nextMs = Math.min(timeoutMs, eventMs);
      if (nextMs > endMs) break;
      this.#nowMs = nextMs;
      if (timeoutMs < eventMs) this.#timeout();
      else this.#event();
    }
    const { waiting, running, awaited } = this.#book;
    waiting.set(0, endMs);
    running.set(0, endMs);
    awaited.set(0, endMs);
    return this.#book;
  }

  #event(): void {
    const heap = this.#heap;
    heap.pop();
    const { kind, ref } = heap;
    const nowMs = this.#nowMs;
    if (kind === ARRIVAL) this.#arrival(ref);
    else if (kind === REACHED) this.#servers.reached(ref, nowMs);
    else if (kind === DONE) {
      if (this.#calls.version[ref] === heap.version) this.#servers.done(ref, nowMs);
    } else if (kind === REPLY) this.#reply(ref);
    else if (kind === CANCEL) {
      if (this.#calls.version[ref] === heap.version && this.#servers.cancelled(ref, nowMs)) this.#calls.release(ref);
    } else if (kind === CHANGE) this.#servers.change(ref, nowMs);
    else if (kind === PAUSE) this.#servers.pause(nowMs);
    else if (kind === RESUME) this.#servers.resume(nowMs);
    else if (kind === SAMPLE) this.#sample();
    else if (kind === TIMER) this.#timers[ref]?.();
  }

  #arrival(index: number): void {
    const client = this.#clients[index] as Client;
    const nowMs = this.#nowMs;
    const nextMs = client.nextMs(nowMs);
    if (nextMs !== Number.POSITIVE_INFINITY) this.#heap.add(nextMs, ARRIVAL, index);
    client.draw(this.#servers.failures);
    const { cost, failing } = client;
    this.#book.arrival(nowMs, cost, failing);
    const ticket = client.admission.enter(cost);
    if (ticket === undefined) {
      this.#think(index);
      return;
    }
    const calls = this.#calls;
    const call = calls.take();
    calls.client[call] = index;
    calls.flags[call] = failing ? AWAITED | FAILING : AWAITED;
    calls.sentMs[call] = nowMs;
    calls.serviceMs[call] = client.serviceMs;
    calls.cost[call] = cost;
    calls.ticket[call] = ticket;
    this.#timeouts.push(call);
    this.#timeouts.push(calls.version[call] as number);
    this.#book.sent(nowMs, cost);
    this.#inflight += 1;
    this.#book.awaited.set(this.#inflight, nowMs);
    this.#heap.add(nowMs + client.oneWayMs, REACHED, call);
  }

  /** The callee is done with a call: the answer sets out, unless nobody waits for it. */
  #answer(call: number, nowMs: number): void {
    const calls = this.#calls;
    if (((calls.flags[call] as number) & AWAITED) === 0) {
      calls.release(call);
      return;
    }
    const client = this.#clients[calls.client[call] as number] as Client;
    calls.doneMs[call] = nowMs;
    this.#heap.add(nowMs + client.oneWayMs, REPLY, call);
  }

  #reply(call: number): void {
    const calls = this.#calls;
    const flags = calls.flags[call] as number;
    const nowMs = this.#nowMs;
    if ((flags & AWAITED) !== 0) {
      if ((flags & REFUSED) !== 0) {
        this.#book.ended(nowMs, "refused");
        this.#settle(call, "overload");
      } else if ((flags & FAILING) !== 0) {
        this.#book.ended(nowMs, "failed");
        this.#settle(call, "failure");
      } else this.#success(call);
    }
    calls.release(call);
  }

  #success(call: number): void {
    const calls = this.#calls;
    const startedMs = calls.startedMs[call] as number;
    const book = this.#book;
    book.succeeded(this.#nowMs, calls.client[call] as number, calls.sentMs[call] as number, calls.cost[call] as number);
    book.useful(
      startedMs,
      calls.doneMs[call] as number,
      (calls.serviceMs[call] as number) * (calls.cost[call] as number),
    );
    const report = this.#signal ? { queueWaitMs: startedMs - (calls.reachedMs[call] as number) } : undefined;
    this.#settle(call, "success", report);
  }

  #settle(call: number, outcome: "success" | "overload" | "failure", report?: CalleeReport): void {
    const calls = this.#calls;
    calls.flags[call] = (calls.flags[call] as number) & ~AWAITED;
    this.#inflight -= 1;
    this.#book.awaited.set(this.#inflight, this.#nowMs);
    calls.ticket[call]?.settle(outcome, report);
    this.#think(calls.client[call] as number);
  }

  /** A user of a closed load, who has an answer or was refused, calls again later. */
  #think(index: number): void {
    const thinkMs = (this.#clients[index] as Client).thinkMs();
    if (!Number.isNaN(thinkMs)) this.#heap.add(this.#nowMs + thinkMs, ARRIVAL, index);
  }

  /** When the oldest call that is still awaited times out. */
  #nextTimeoutMs(): number {
    const { version, sentMs, flags } = this.#calls;
    const timeouts = this.#timeouts;
    while (timeouts.size > 0) {
      const call = timeouts.first();
      if (version[call] === timeouts.second() && ((flags[call] as number) & AWAITED) !== 0)
        return (sentMs[call] as number) + this.#scenario.timeoutMs;
      timeouts.shift();
      timeouts.shift();
    }
    return Number.POSITIVE_INFINITY;
  }

  #timeout(): void {
    const call = this.#timeouts.shift();
    const version = this.#timeouts.shift();
    this.#book.ended(this.#nowMs, "timedOut");
    const client = this.#clients[this.#calls.client[call] as number] as Client;
    if (this.#scenario.cancels) this.#heap.add(this.#nowMs + client.oneWayMs, CANCEL, call, version);
    this.#settle(call, "overload");
  }

  #sample(): void {
    const bin = Math.round(this.#nowMs / BIN_MS) - 1;
    const { limit, inflight, queue } = this.#book;
    inflight[bin] = this.#inflight;
    queue[bin] = this.#servers.waiting;
    for (const client of this.#clients)
      if (client.startMs <= this.#nowMs) limit[bin] = (limit[bin] as number) + client.admission.limit;
    this.#heap.add(this.#nowMs + BIN_MS, SAMPLE, 0);
  }

  #runtime(seed: number, name: string): Runtime {
    const random = new Random(seed, `limiter of ${name}`);
    return {
      now: () => this.#nowMs,
      random: () => random.next(),
      setTimer: (callback, delayMs) => {
        let cancelled = false;
        const id = this.#timers.push(() => {
          if (!cancelled) callback();
        });
        this.#heap.add(this.#nowMs + Math.max(0, delayMs), TIMER, id - 1);
        return { cancel: () => (cancelled = true) };
      },
    };
  }
}
