import type { Runtime, Timer } from "@dt/core";
import type { Driver } from "./driver.ts";

/** Pause before a broken watch is made again, in milliseconds: doubled each time, halved at random at most. */
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5_000;

/** What a {@link KeyWatch} tells. */
export interface KeyListener {
  /** The key's new value; undefined when it is gone. */
  heard(value: string | undefined): void;
  /** The watch was broken and is made again: something may have been missed. */
  resumed(): void;
}

/** Hears of every change of one key, and makes the watch again when it breaks. */
export class KeyWatch {
  readonly #driver: Driver;
  readonly #key: string;
  readonly #runtime: Runtime;
  readonly #listener: KeyListener;
  #stop: (() => void) | undefined;
  #pause: Timer | undefined;
  #failures = 0;
  #stopped = false;

  constructor(driver: Driver, key: string, runtime: Runtime, listener: KeyListener) {
    this.#driver = driver;
    this.#key = key;
    this.#runtime = runtime;
    this.#listener = listener;
  }

  /** Resolves once etcd watches; rejects when the first try fails, and is over then. */
  async start(): Promise<void> {
    const stop = await this.#driver.watch(
      this.#key,
      (value) => this.#listener.heard(value),
      () => this.#broken(),
    );
    this.#failures = 0;
    // Stopped in the meantime, by whoever waited no longer.
    if (this.#stopped) stop();
    else this.#stop = stop;
  }

  stop(): void {
    this.#stopped = true;
    this.#pause?.cancel();
    this.#stop?.();
  }

  #broken(): void {
    if (this.#stopped) return;
    const longestMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(this.#failures, 10));
    this.#failures += 1;
    this.#pause = this.#runtime.setTimer(() => void this.#again(), longestMs * (0.5 + this.#runtime.random() / 2), {
      keepAlive: false,
    });
  }

  async #again(): Promise<void> {
    if (this.#stopped) return;
    try {
      await this.start();
      this.#listener.resumed();
    } catch {
      this.#broken();
    }
  }
}
