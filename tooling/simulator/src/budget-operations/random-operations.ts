import type { BudgetLimit, Settlement, SpendAnswer, SpendRequest, SpendReservation } from "@dt/core";
import { VirtualRuntime } from "@dt/core/testing";

/** One operation on a budget, at a time of the store's clock. */
export type BudgetOperation =
  | { readonly kind: "spend"; readonly clockMs: number; readonly request: SpendRequest }
  | { readonly kind: "reset"; readonly clockMs: number };

/** What users of a budget say: mostly the same, sometimes something else, or what takes its place. */
const TERMS: readonly Pick<SpendRequest, "terms" | "formerTerms">[] = [
  ...Array.from({ length: 20 }, () => ({ terms: "60 a minute" })),
  ...Array.from({ length: 3 }, () => ({ terms: "90 a minute, 'more'" })),
  { terms: "90 a minute, 'more'", formerTerms: "60 a minute" },
  { terms: "60 a minute", formerTerms: "90 a minute, 'more'" },
  {},
];

/** Leases that may be settled, or asked for again. */
const REMEMBERED = 40;

const KEEPS: readonly (readonly number[])[] = [[0], [0], [0, 0.2], [0, 1 / 3, 0.5]];

const NAMES = ["calls", "tokens in", "ünits", "more"];

/** What a limit and a window may be at most. */
const MOST_UNITS = 1e12;
const LONGEST_MS = 8_640_000_000;

interface KnownLease {
  readonly reserve: SpendReservation;
  readonly limits: readonly BudgetLimit[];
  readonly atMs: number;
}

/**
 * A seeded stream of operations that reaches every branch of the arithmetic: waits for windows, for the pace and for a
 * pause, refusals, forced calls, repeats, settlements of all kinds, tiers, limits that change, and clocks that go back
 * or jump. The answers steer it: what was granted is settled, and the clock goes to the edges that it was told.
 */
export class RandomOperations {
  readonly #runtime: VirtualRuntime;
  readonly #leases: KnownLease[] = [];
  readonly #windowMs: number;
  /** The part of a limit that a call costs, mostly, and the part of a window that passes between two calls. */
  readonly #part: number;
  readonly #haste: number;
  /** How often the clock jumps, limits change, and so on. In a stream with little of it windows fill up. */
  readonly #unrest: number;
  /** Costs are whole numbers, or any. */
  readonly #whole: boolean;
  /** Some streams are of clients that say their terms, and do not all agree; the others say none. */
  readonly #agrees: boolean;
  #keeps: readonly number[];
  #limits: readonly BudgetLimit[];
  #clockMs: number;
  #ids = 0;

  constructor(seed: number, startMs: number) {
    this.#runtime = new VirtualRuntime({ seed });
    this.#clockMs = startMs + Math.floor(this.#runtime.random() * 1e6) / 1_000;
    this.#windowMs = this.#pick(60_000, 60_000, 1_000, 997.3, 1, 86_400_000);
    this.#part = this.#pick(1 / 10, 1 / 30, 1 / 500);
    this.#haste = this.#part * this.#pick(0.3, 0.8, 1.2, 3);
    this.#unrest = this.#part < 1 / 100 ? 0.001 : 0.01;
    this.#whole = this.#runtime.random() < 0.5;
    this.#agrees = this.#runtime.random() < 0.5;
    this.#keeps = this.#pick(...KEEPS);
    this.#limits = NAMES.slice(0, this.#pick(1, 2, 2, 3)).map((name) => this.#limit(name));
  }

  next(): BudgetOperation {
    this.#clockMs += this.#pick(0, 0, 0.137, 0.5, 1, 1, 1.5, 3.001) * this.#windowMs * this.#haste;
    if (this.#chance(this.#unrest)) this.#clockMs += this.#pick(-50_000, 20_000, -3, 0.01, 1.7 * this.#windowMs);
    const edge = this.#pick(...this.#leases);
    if (edge && this.#chance(0.05)) this.#clockMs = this.#upTo(edge.atMs);
    if (this.#chance(this.#unrest / 2)) return { kind: "reset", clockMs: this.#clockMs };
    if (this.#chance(this.#unrest)) this.#keeps = this.#pick(...KEEPS);
    if (this.#chance(this.#unrest)) this.#change();
    return { kind: "spend", clockMs: this.#clockMs, request: this.#request() };
  }

  /** What a request was answered. */
  answered({ reserve, limits }: SpendRequest, { granted, atMs, waitMs }: SpendAnswer): void {
    if (!reserve) return;
    if (granted) this.#leases.push({ reserve, limits, atMs });
    // At the very edge of the time it was told, now and then.
    else if (this.#chance(0.1)) this.#clockMs += Math.min(waitMs, 2 * this.#windowMs);
    if (this.#leases.length > REMEMBERED) this.#leases.shift();
  }

  #limit(name: string): BudgetLimit {
    const max = this.#pick(10, 600, 60_000, 1e9, 7.3, 1e12);
    return { name, max, windowMs: this.#windowMs * this.#pick(1, 1, 2, 60), burst: max * this.#pick(1, 1, 0.1, 1 / 3) };
  }

  /** Another rate, another window, another order, one more limit, or one that is not declared any more. */
  #change(): void {
    const [first, ...others] = this.#limits as readonly [BudgetLimit, ...BudgetLimit[]];
    const max = Math.min(MOST_UNITS, first.max * this.#pick(0.5, 2, 1));
    const windowMs = Math.min(LONGEST_MS, Math.max(1, first.windowMs * this.#pick(0.5, 1, 3, 1 / 7)));
    const changed = { ...first, max, windowMs, burst: max * this.#pick(1, 0.2) };
    const name = NAMES.find((free) => this.#limits.every((limit) => limit.name !== free));
    const more = name === undefined ? [] : [this.#limit(name)];
    const fewer = others.length > 0 ? others : [changed];
    this.#limits = this.#pick([changed, ...others], [...others, changed], [changed, ...others, ...more], fewer);
  }

  #request(): SpendRequest {
    const limits = this.#limits;
    const stated = { limit: 0, rest: this.#pick(0, 0.1, 0.9) * (limits[0]?.max ?? 0), resetMs: this.#time(2) };
    return {
      ...{ limits, keeps: this.#keeps },
      ...(this.#agrees && this.#pick(...TERMS)),
      ...(this.#chance(0.4) && { settle: Array.from({ length: this.#pick(1, 1, 2, 5) }, () => this.#settlement()) }),
      ...(this.#chance(0.02) && { stated: [stated, ...(this.#chance(0.3) ? [{ ...stated, rest: 0 }] : [])] }),
      ...(this.#chance(0.01) && { pauseMs: this.#pick(this.#time(0.3), this.#time(0.1), 0, 1e8 * this.#pick(0, 1)) }),
      ...(this.#chance(0.9) && { reserve: this.#reservation() }),
    };
  }

  #reservation(): SpendReservation {
    const known = this.#pick(...this.#leases.filter(({ limits }) => limits.length === this.#limits.length));
    const tier = this.#pick(...this.#keeps.keys());
    const whole = this.#whole ? Math.floor : (cost: number): number => cost;
    const costs = this.#limits.map(({ max }) => {
      const most = max * (1 - (this.#keeps[tier] as number));
      return Math.min(most, whole(max * this.#part * this.#pick(0, 0.5, 1, 1, 2, this.#chance(0.05) ? 1e9 : 1)));
    });
    return {
      id: known && this.#chance(0.05) ? known.reserve.id : `r${this.#ids++}`,
      ...{ costs, tier, maxWaitMs: this.#pick(0, this.#time(0.3), this.#time(3), 1e9) },
      keepMs: this.#pick(0, this.#time(0.1), this.#time(1), this.#time(10)),
      ...(this.#chance(0.05) && { force: true }),
    };
  }

  /** Of a lease that is known, was settled already, is forgotten, or never was. */
  #settlement(): Settlement {
    const known = this.#pick(...this.#leases);
    const measured = this.#chance(0.7);
    const part = this.#pick(0, 1, 0.3, this.#runtime.random(), 1.7, 3, this.#chance(0.05) ? 1e4 : 1);
    const costs = this.#limits.map(({ name }) => {
      const index = known?.limits.findIndex((limit) => limit.name === name) ?? -1;
      return Math.min(MOST_UNITS, part * (known?.reserve.costs[index] ?? 1));
    });
    return { id: known && this.#chance(0.97) ? known.reserve.id : "nobody's", costs, measured };
  }

  /** An instant that comes soon, or a hair before it. */
  #upTo(atMs: number): number {
    if (atMs <= this.#clockMs || atMs > this.#clockMs + this.#windowMs) return this.#clockMs;
    return this.#pick(atMs, atMs - 1 / 32, atMs - 1 / 8);
  }

  #time(windows: number): number {
    return this.#windowMs * windows;
  }

  #chance(probability: number): boolean {
    return this.#runtime.random() < probability;
  }

  #pick<T>(...values: readonly T[]): T {
    return values[Math.floor(this.#runtime.random() * values.length)] as T;
  }
}
