import type { PermitRelease, PermitRequest, Reservation } from "@dt/core";
import { instantOf } from "@dt/core/ledger";
import { VirtualRuntime } from "@dt/core/testing";

/** One operation on a key, at a time of the store's clock. */
export type PermitOperation =
  | { readonly kind: "reserve"; readonly clockMs: number; readonly request: PermitRequest }
  | { readonly kind: "reset"; readonly clockMs: number }
  | { readonly kind: "release"; readonly clockMs: number; readonly release: PermitRelease };

/** What users of a key say: mostly the same, sometimes something else, or what takes its place. */
const TERMS: readonly Partial<PermitRequest>[] = [
  ...Array.from({ length: 20 }, () => ({ terms: "every 10 ms" })),
  ...Array.from({ length: 3 }, () => ({ terms: "every 5 ms, 'fast'" })),
  { terms: "every 5 ms, 'fast'", formerTerms: "every 10 ms" },
  { terms: "every 10 ms", formerTerms: "every 5 ms, 'fast'" },
  {},
];

/** Requests that may be repeated or given back. */
const REMEMBERED = 20;

/**
 * A seeded stream of operations that reaches every branch of the arithmetic: blocks, parts of a permit, bursts,
 * refusals, queues, pauses, repeats, releases of all and of a part, and clocks that go back or jump. The answers steer
 * it: who is refused comes back when told, and what was granted is given back.
 */
export class RandomOperations {
  readonly #runtime: VirtualRuntime;
  readonly #recent: { readonly request: PermitRequest; reservation: Reservation }[] = [];
  readonly #profile: Pick<PermitRequest, "everyMs" | "burst" | "maxReserved">;
  /** Many come for little, and wait in the queue. */
  readonly #crowded: boolean;
  /** How fast time passes between operations: slowly, so that many permits are still to come, or fast. */
  readonly #haste: number;
  #clockMs: number;
  #ids = 0;

  /** How often a request pauses the key: in some streams often, in others never. */
  readonly #pauses: number;

  /** Some streams are of pacers that say their terms, and do not all agree; the others say none. */
  readonly #agrees: boolean;

  constructor(seed: number, startMs: number) {
    this.#runtime = new VirtualRuntime({ seed });
    this.#clockMs = startMs + Math.floor(this.#runtime.random() * 1e6) / 1_000;
    this.#haste = this.#pick(0.01, 0.03, 0.1);
    this.#agrees = this.#runtime.random() < 0.5;
    this.#pauses = this.#pick(0, 0.02, 0.1);
    this.#crowded = this.#runtime.random() < 0.5;
    this.#profile = {
      everyMs: this.#pick(10, 10, 7.3, 0.05, 1 / 3),
      burst: this.#pick(1, 1, 1, 2, 5),
      maxReserved: this.#crowded ? this.#pick(1, 3, 8) : this.#pick(0, 20, 20, 1_000),
    };
  }

  next(): PermitOperation {
    this.#clockMs += this.#pick(0, 0, 0.137, 1, 3.5, 3.5, 10, 31.001) * this.#profile.everyMs * this.#haste;
    if (this.#runtime.random() < 0.01) this.#clockMs += this.#pick(-50_000, 60_000, -3, 0.5, 700);
    const granted = this.#recent.filter(({ reservation }) => reservation.granted > 0);
    const edge = this.#pick(...granted);
    if (edge && this.#runtime.random() < 0.1) this.#clockMs = this.#upTo(edge.reservation);
    const clockMs = this.#clockMs;
    if (this.#runtime.random() < 0.01) return { kind: "reset", clockMs };
    const given = this.#pick(...granted);
    if (given && this.#runtime.random() < 0.25) {
      const most = given.reservation.granted;
      const keep = this.#pick(0, 0, Math.floor(this.#runtime.random() * (most + 1)), most);
      const id = this.#runtime.random() < 0.03 ? "nobody's" : given.request.id;
      return { kind: "release", clockMs, release: { id, keep } };
    }
    const longestRefused = this.#recent.find(({ reservation }) => reservation.granted === 0);
    const known = this.#runtime.random() < 0.3 && longestRefused ? longestRefused : this.#pick(...this.#recent);
    if (known && this.#runtime.random() < 0.05)
      return { kind: "release", clockMs, release: { id: known.request.id, keep: 0 } };
    if (known && this.#runtime.random() < (this.#crowded ? 0.6 : 0.3))
      return { kind: "reserve", clockMs, request: known.request };
    return { kind: "reserve", clockMs, request: this.#request() };
  }

  /** What a reservation was answered. */
  answered(request: PermitRequest, reservation: Reservation): void {
    const known = this.#recent.find((other) => other.request.id === request.id);
    if (known) known.reservation = reservation;
    else this.#recent.push({ request, reservation });
    if (this.#recent.length > REMEMBERED) this.#recent.shift();
    // At the very edge of the time it was told, now and then.
    if (reservation.granted === 0 && this.#runtime.random() < 0.1) this.#clockMs += reservation.retryAfterMs;
  }

  /** An instant that comes soon: the very edge of being past. */
  #upTo(reservation: Reservation): number {
    const soonMs = this.#clockMs + 3 * this.#profile.everyMs;
    const instants = Array.from({ length: reservation.granted }, (_, i) => instantOf(reservation, i));
    return this.#pick(this.#clockMs, ...instants.filter((ms) => ms > this.#clockMs && ms < soonMs));
  }

  #request(): PermitRequest {
    const { everyMs, burst, maxReserved } = this.#profile;
    const odd = this.#runtime.random() < 0.05;
    return {
      id: `r${this.#ids++}`,
      count: this.#pick(1, 1, 1, 1, 1, 2, 7, 300),
      cost: this.#pick(1, 1, 1, 1, 1, 1, 2, 0.5, 1 / 3),
      everyMs: odd ? this.#pick(4, 0.9) : everyMs,
      burst: odd ? this.#pick(1, 3) : burst,
      maxReserved: this.#pick(maxReserved, maxReserved, maxReserved, 0, 5),
      keepMs: this.#pick(0, 5, 20, 1_000) * everyMs,
      queueMs: this.#pick(...(this.#crowded ? [0, 0.1, 0.5, 2, 10] : [0, 0, 0, 0.3])) * everyMs,
      ...(this.#agrees ? this.#pick<Partial<PermitRequest>>(...TERMS) : {}),
      ...(this.#runtime.random() < this.#pauses ? { pauseMs: this.#pick(0, 0.5, 3, 3, 20, 100) * everyMs } : {}),
    };
  }

  #pick<T>(...values: readonly T[]): T {
    return values[Math.floor(this.#runtime.random() * values.length)] as T;
  }
}
