import { Fifo } from "../queue/fifo.ts";
import type { Runtime, Timer } from "../runtime/runtime.ts";
import type { PermitClient } from "./permit-client.ts";

/** A site that does not answer is left alone for this long. */
const SITE_REST_MS = 1_000;
/** So much lies between two rounds in vain at least: at high rates the next permit of a busy site is always due at once. */
const LEAST_PAUSE_MS = 10;

/** Another site, from which permits may be taken. */
export interface Neighbour {
  readonly name: string;
  readonly client: PermitClient;
}

/** What was taken from another site. */
export interface Loot {
  readonly site: string;
  readonly lateMs: number;
  /** Gives it back, unused. */
  giveBack(): void;
}

/** Somebody who waits for a permit of the own site, and would take another one's. */
export interface Waiter {
  readonly cost: number;
  readonly sinceMs: number;
  /** False when it is no longer interested. */
  take(loot: Loot): boolean;
}

/**
 * Takes for those who have waited long what other sites leave unused: one round of the sites at a time for all of them, so that a long queue here is no storm
 * there. Whoever has waited longest is served first.
 */
export class Thief {
  readonly #runtime: Runtime;
  readonly #neighbours: readonly Neighbour[];
  readonly #stealAfterMs: number;
  /** The longest pause between two rounds: the distance of the own permits. */
  readonly #everyMs: number;
  readonly #waiters = new Fifo<Waiter>();
  readonly #restUntilMs = new Map<Neighbour, number>();
  #first = 0;
  #notBeforeMs = Number.NEGATIVE_INFINITY;
  #timer: Timer | undefined;
  #round: Promise<void> | undefined;
  #closed = false;

  constructor(
    runtime: Runtime,
    neighbours: readonly Neighbour[],
    options: { readonly stealAfterMs: number; readonly everyMs: number },
  ) {
    this.#runtime = runtime;
    this.#neighbours = neighbours;
    this.#stealAfterMs = options.stealAfterMs;
    this.#everyMs = options.everyMs;
  }

  enter(waiter: Waiter): void {
    this.#waiters.push(waiter);
    this.#arm();
  }

  leave(waiter: Waiter): void {
    if (this.#waiters.remove(waiter)) this.#arm();
  }

  /** Ends; resolves when what was under way has been given back. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#timer?.cancel();
    await this.#round;
    await Promise.all(this.#neighbours.map(({ client }) => client.settled()));
  }

  /** One timer: when the first of those who wait has waited long enough, and the pause after the last round is over. */
  #arm(): void {
    const head = this.#waiters.first;
    this.#timer?.cancel();
    this.#timer = undefined;
    if (!head || this.#closed || this.#round || this.#neighbours.length === 0) return;
    const dueMs = Math.max(head.sinceMs + this.#stealAfterMs, this.#notBeforeMs);
    this.#timer = this.#runtime.setTimer(
      () => {
        this.#round = this.#goRound(head.cost);
      },
      Math.max(0, dueMs - this.#runtime.now()),
    );
  }

  /** Asks the other sites in turn until one gives a permit of this cost. If none does, the next round is when one of them may. */
  async #goRound(cost: number): Promise<void> {
    let pauseMs = Math.max(LEAST_PAUSE_MS, this.#everyMs);
    this.#first = (this.#first + 1) % this.#neighbours.length;
    for (let i = 0; i < this.#neighbours.length; i++) {
      const neighbour = this.#neighbours[(this.#first + i) % this.#neighbours.length] as Neighbour;
      const answer = this.#closed || this.#waiters.size === 0 ? undefined : await this.#tryTake(neighbour, cost);
      if (typeof answer === "number") pauseMs = Math.min(pauseMs, Math.max(LEAST_PAUSE_MS, answer));
      else if (answer) {
        this.#hand(answer, cost);
        pauseMs = 0;
        break;
      }
    }
    this.#round = undefined;
    this.#notBeforeMs = this.#runtime.now() + pauseMs;
    this.#arm();
  }

  /** To the first of this cost who still wants it; otherwise back. */
  #hand(loot: Loot, cost: number): void {
    const others: Waiter[] = [];
    let taken = false;
    for (let head = this.#waiters.first; head && !taken; head = this.#waiters.first) {
      this.#waiters.remove(head);
      if (head.cost === cost) taken = head.take(loot);
      else others.push(head);
    }
    for (const other of others.reverse()) this.#waiters.unshift(other);
    if (!taken) loot.giveBack();
  }

  /** A permit that is free at this instant at another site, or the milliseconds until one may be; nothing is reserved ahead there. */
  async #tryTake(neighbour: Neighbour, cost: number): Promise<Loot | number | undefined> {
    const { client, name } = neighbour;
    if (this.#runtime.now() < (this.#restUntilMs.get(neighbour) ?? Number.NEGATIVE_INFINITY)) return undefined;
    try {
      const attempt = await client.attempt(cost);
      if (!("id" in attempt)) return attempt.retryAfterMs;
      return { site: name, lateMs: attempt.lateMs, giveBack: () => client.release(attempt.id, 0) };
    } catch {
      // Another site's trouble is not the caller's: it waits for the own part.
      this.#restUntilMs.set(neighbour, this.#runtime.now() + SITE_REST_MS);
      return undefined;
    }
  }
}
