import type { LimitTarget, Runtime } from "@dt/core";
import { packageName } from "@dt/core/internal";
import type { LearnedOptions } from "./learned-options.ts";

/** What was learned is written no more often than once in so much time, by each process. */
const EVERY_MS = 60_000;

/** And a part of that later, at random: processes that start together do not write together. */
const SPREAD = 0.25;

/** A value that differs by less than this factor is the same. */
const SAME = 1.1;

/** The limiter whose value is kept. */
export interface LearnedOf {
  /** Which number it is. */
  readonly number: "rate" | "limit";
  readonly runtime: Runtime;
  /** The value now; `Infinity` while nothing is learned. */
  value(): number;
  /** Starts from a value that was learned before; false where something else was learned meanwhile. */
  startFrom(value: number): boolean;
}

/**
 * What one limiter learns, kept in a store. It is read with the first call, which does not wait for it, and written
 * when it has changed. No call fails because the store does: the limiter then goes on with what it learns itself.
 */
export class LearnedValue {
  readonly #store: LearnedOptions["store"];
  readonly #target: LimitTarget;
  readonly #of: LearnedOf;
  /** What this limiter started with, or last compared with the store's. */
  #told: number;
  /** When it may write next; undefined before the first call. */
  #dueMs: number | undefined;
  #work: Promise<void> | undefined;

  /** @param name that of the limiter */
  constructor(options: LearnedOptions, name: string, of: LearnedOf) {
    this.#store = options.store;
    this.#target = { kind: "learned", name: options.name ?? name };
    this.#of = of;
    this.#told = of.value();
  }

  /** A call comes, or has ended: reads at first, and writes when it is time. */
  look(): void {
    const { runtime } = this.#of;
    const nowMs = runtime.now();
    if (this.#dueMs !== undefined && nowMs < this.#dueMs) return;
    const isFirst = this.#dueMs === undefined;
    this.#dueMs = nowMs + EVERY_MS * (1 + SPREAD * runtime.random());
    if (isFirst) this.#work = this.#begin().catch(ignored);
    else if (this.#isNew) this.#work = this.#write().catch(ignored);
  }

  /** Writes what was learned last. Never rejects. */
  async stop(): Promise<void> {
    await this.#work;
    if (this.#dueMs !== undefined && this.#isNew) await this.#write().catch(ignored);
  }

  get #isNew(): boolean {
    return differ(this.#of.value(), this.#told);
  }

  async #begin(): Promise<void> {
    const stored = await this.#read();
    if (stored !== undefined && this.#of.startFrom(stored)) this.#told = stored;
  }

  /** Others may have written the same: then nothing is to be written. */
  async #write(): Promise<void> {
    const value = this.#of.value();
    const stored = await this.#read();
    if (stored === undefined || differ(value, stored))
      await this.#store.setLimit(this.#target, { values: { [this.#of.number]: value }, by: packageName("adaptive") });
    this.#told = value;
  }

  async #read(): Promise<number | undefined> {
    const record = await this.#store.readLimit(this.#target);
    return record?.inForce === true ? record.values?.[this.#of.number] : undefined;
  }
}

/** What is kept helps newcomers, and is needed by none: a store that is away changes nothing. */
function ignored(): void {}

function differ(value: number, other: number): boolean {
  return value < Number.POSITIVE_INFINITY && Math.max(value / other, other / value) > SAME;
}
