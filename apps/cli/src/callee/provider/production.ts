import type { Runtime, Timer } from "@dt/core";

/** What a production of tokens is made of. */
export interface ProductionSettings {
  readonly tokens: number;
  /** How long each takes, in milliseconds. */
  readonly tokenTakesMs: number;
  /** Called with how many more there are: several where a timer was late. */
  readonly made: (count: number) => void;
  /** Called once, after the last. */
  readonly ended: () => void;
}

/** Makes tokens one after the other, as time passes. */
export class Production {
  /** How many there are so far. */
  produced = 0;
  readonly #runtime: Runtime;
  readonly #settings: ProductionSettings;
  readonly #startMs: number;
  #timer: Timer | undefined;

  constructor(runtime: Runtime, settings: ProductionSettings) {
    this.#runtime = runtime;
    this.#settings = settings;
    this.#startMs = runtime.now();
    this.#wait();
  }

  /** No more are made. */
  stop(): void {
    this.#timer?.cancel();
  }

  #wait(): void {
    const dueMs = this.#startMs + (this.produced + 1) * this.#settings.tokenTakesMs;
    this.#timer = this.#runtime.setTimer(() => this.#make(), dueMs - this.#runtime.now(), { keepAlive: false });
  }

  #make(): void {
    const { tokens, tokenTakesMs, made, ended } = this.#settings;
    const sinceMs = this.#runtime.now() - this.#startMs;
    const due = tokenTakesMs === 0 ? tokens : Math.floor(sinceMs / tokenTakesMs);
    // At least the one that the timer was set for, however the division is rounded.
    const count = Math.min(tokens, Math.max(due, this.produced + 1)) - this.produced;
    this.produced += count;
    made(count);
    if (this.produced < tokens) this.#wait();
    else ended();
  }
}
