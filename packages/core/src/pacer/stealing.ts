import { Fifo } from "../internal/fifo.ts";
import { PriorityFifo } from "../internal/priority-fifo.ts";
import type { Runtime, Timer } from "../runtime/runtime.ts";
import type { PermitClient } from "./permit-client.ts";

/**
 * So much lies between two questions in vain at least: at high rates the next permit of a busy site is always due at
 * once.
 */
const LEAST_PAUSE_MS = 10;
/** A site that takes longer to answer does not hold up the others: it is no longer counted as being asked. */
const SLOW_MS = 100;
/** The longest time for which a site that fails is left alone. */
const LONGEST_REST_MS = 30_000;

/** Aborts the wait for a permit of the own site: there is one of another site. */
export const STOLEN: unique symbol = Symbol("stolen");

/** Another site, from which permits may be taken. */
export interface Neighbour {
  readonly name: string;
  readonly client: PermitClient;
}

/** A permit taken from another site. */
export interface StolenPermit {
  readonly site: string;
  readonly lateMs: number;
  /** Gives it back, unused. */
  giveBack(): void;
}

/** A caller that waits for a permit of the own site, and would take another site's. */
export interface Waiter {
  readonly cost: number;
  readonly priority: number;
  readonly sinceMs: number;
  /** False when it is no longer interested. */
  take(stolen: StolenPermit): boolean;
}

/** What is known of a neighbour. */
interface Place {
  readonly neighbour: Neighbour;
  /** When it was asked; undefined while it is not being asked. */
  askedMs: number | undefined;
  notBeforeMs: number;
  /** Failures in a row. */
  failures: number;
}

/**
 * Work stealing between sites: takes for those who have waited long what other sites leave unused. Sites are asked side
 * by side, as many as there are callers to serve, each by one question at a time: a long queue here is no storm there,
 * and a site that hangs holds up nobody. The highest priority is served first, and of these the caller that has waited
 * longest.
 */
export class Stealing {
  readonly #runtime: Runtime;
  /** In the order in which they are asked: whoever was asked last is at the end. */
  #places: readonly Place[];
  readonly #stealAfterMs: number;
  /** The longest pause between two questions: the distance of the own permits. */
  readonly #everyMs: number;
  /** In the order of coming: a site is asked when one of them has waited long enough. */
  readonly #waiters = new Fifo<Waiter>();
  /** In the order in which they are served. */
  readonly #order = new PriorityFifo<Waiter>("fifo");
  readonly #asking = new Set<Promise<void>>();
  #timer: Timer | undefined;
  #closed = false;

  constructor(
    runtime: Runtime,
    neighbours: readonly Neighbour[],
    options: { readonly stealAfterMs: number; readonly everyMs: number },
  ) {
    this.#runtime = runtime;
    this.#places = neighbours.map((neighbour) => ({
      neighbour,
      askedMs: undefined,
      notBeforeMs: Number.NEGATIVE_INFINITY,
      failures: 0,
    }));
    this.#stealAfterMs = options.stealAfterMs;
    this.#everyMs = options.everyMs;
  }

  enter(waiter: Waiter): void {
    this.#waiters.push(waiter);
    this.#order.push(waiter);
    this.#arm();
  }

  leave(waiter: Waiter): void {
    if (this.#remove(waiter)) this.#arm();
  }

  /** Ends; resolves when what was under way has been given back. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#timer?.cancel();
    for (const { neighbour } of this.#places) neighbour.client.abortSetUp();
    await Promise.all(this.#asking);
    await Promise.all(this.#places.map(({ neighbour }) => neighbour.client.settled()));
  }

  /** One timer: when there is next a caller that has waited long enough and a site that may be asked for it. */
  #arm(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    if (this.#waiters.size === 0 || this.#closed) return;
    const nowMs = this.#runtime.now();
    const quick = this.#quick(nowMs);
    const next = this.#waiterAt(quick.length);
    const idle = this.#places.filter(({ askedMs }) => askedMs === undefined);
    if (idle.length === 0) return;
    const freeMs = Math.min(...idle.map(({ notBeforeMs }) => notBeforeMs));
    // With a question under way for everybody, a place is free when one of them turns out to be slow.
    const dueMs = next
      ? next.sinceMs + this.#stealAfterMs
      : Math.min(...quick.map(({ askedMs }) => (askedMs as number) + SLOW_MS));
    this.#timer = this.#runtime.setTimer(() => this.#askAround(), Math.max(0, Math.max(dueMs, freeMs) - nowMs));
  }

  #askAround(): void {
    const nowMs = this.#runtime.now();
    for (const place of this.#places) {
      if (place.askedMs !== undefined || place.notBeforeMs > nowMs) continue;
      const waiter = this.#waiterAt(this.#quick(nowMs).length);
      if (!waiter || waiter.sinceMs + this.#stealAfterMs > nowMs) break;
      this.#places = [...this.#places.filter((other) => other !== place), place];
      place.askedMs = nowMs;
      const asking = this.#ask(place, waiter.cost);
      this.#asking.add(asking);
      void asking.then(() => this.#asking.delete(asking));
    }
    this.#arm();
  }

  /** Sites that are being asked and may answer any moment. */
  #quick(nowMs: number): Place[] {
    return this.#places.filter(({ askedMs }) => askedMs !== undefined && nowMs < askedMs + SLOW_MS);
  }

  /** The caller with so many others before it. */
  #waiterAt(position: number): Waiter | undefined {
    let before = 0;
    for (const waiter of this.#waiters) if (before++ === position) return waiter;
    return undefined;
  }

  /** Asks a site for a permit that is free at this instant; nothing is reserved ahead there. */
  async #ask(place: Place, cost: number): Promise<void> {
    const { client, name } = place.neighbour;
    let pauseMs = 0;
    try {
      const attempt = await client.attempt(cost);
      place.failures = 0;
      if ("id" in attempt)
        this.#hand({ site: name, lateMs: attempt.lateMs, giveBack: () => client.release(attempt.id, 0) }, cost);
      else pauseMs = Math.max(LEAST_PAUSE_MS, Math.min(this.#everyMs, attempt.retryAfterMs), restOf(client));
    } catch {
      // Another site's trouble is not the caller's: it waits for the own part. The rest is longer than the deadline, or
      // most of the time would go by in asking.
      place.failures += 1;
      pauseMs = Math.min(client.timeoutMs * 2 ** place.failures, Math.max(LONGEST_REST_MS, 2 * client.timeoutMs));
    }
    place.askedMs = undefined;
    place.notBeforeMs = this.#runtime.now() + pauseMs;
    this.#arm();
  }

  /** To the first of this cost that still wants it; otherwise back. */
  #hand(stolen: StolenPermit, cost: number): void {
    for (let next = this.#firstOf(cost); next; next = this.#firstOf(cost)) {
      this.#remove(next);
      if (next.take(stolen)) return;
    }
    stolen.giveBack();
  }

  #firstOf(cost: number): Waiter | undefined {
    for (const waiter of this.#order) if (waiter.cost === cost) return waiter;
    return undefined;
  }

  #remove(waiter: Waiter): boolean {
    this.#order.remove(waiter);
    return this.#waiters.remove(waiter);
  }
}

/** For how long a site that is paused is left alone: a reset may end the pause. */
function restOf({ pausedForMs }: PermitClient): number {
  return Math.min(pausedForMs, LONGEST_REST_MS);
}
