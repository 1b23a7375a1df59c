import type { Runtime, Timer } from "@dt/core";
import type { Head } from "@dt/core/cas";
import type { Driver } from "./driver.ts";
import { decodeHead } from "./head.ts";

/** Pause before a broken watch is made again, in milliseconds: doubled each time, halved at random at most. */
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5_000;

/**
 * Hears of every change of a group's head, and makes the watch again when it breaks. Hints only: what happens while it is broken is made up
 * for by one hint afterwards.
 */
export class HeadWatch {
  readonly #driver: Driver;
  readonly #key: string;
  readonly #runtime: Runtime;
  readonly #onHead: (head: Head) => void;
  readonly #onChange: () => void;
  #last: Pick<Head, "generation" | "agreed"> | undefined;
  #stop: (() => void) | undefined;
  #pause: Timer | undefined;
  #failures = 0;
  #stopped = false;

  /**
   * @param onHead hears every head, also when only the time in it has changed
   * @param onChange hears that the generation changed or an agreement was reached
   */
  constructor(driver: Driver, key: string, runtime: Runtime, onHead: (head: Head) => void, onChange: () => void) {
    this.#driver = driver;
    this.#key = key;
    this.#runtime = runtime;
    this.#onHead = onHead;
    this.#onChange = onChange;
  }

  /** Resolves once etcd watches; rejects when the first try fails, and is over then. */
  async start(): Promise<void> {
    const stop = await this.#driver.watch(
      this.#key,
      (value) => this.#heard(value),
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

  #heard(value: string | undefined): void {
    const before = this.#last;
    const head = value === undefined ? undefined : this.#decode(value);
    this.#last = head;
    if (head) this.#onHead(head);
    if (head?.generation !== before?.generation || (head?.agreed && !before?.agreed)) this.#onChange();
  }

  #decode(value: string): Head | undefined {
    try {
      return decodeHead(this.#key, value);
    } catch {
      // Whoever syncs next is told what is wrong with it.
      return undefined;
    }
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
      this.#onChange();
    } catch {
      this.#broken();
    }
  }
}
