import { type BucketAnswer, DtError, type KeyedLedger, type MemoryStore, type Runtime, type Timer } from "@dt/core";
import type { VirtualRuntime } from "@dt/core/testing";

/**
 * The time of one process: another origin than the store's, and it may stand still for a while. Timers that become due
 * meanwhile fire afterwards, in their order.
 */
export class ProcessRuntime implements Runtime {
  readonly #world: VirtualRuntime;
  readonly #offsetMs: number;
  #pausedUntilMs = 0;

  constructor(world: VirtualRuntime, offsetMs: number) {
    this.#world = world;
    this.#offsetMs = offsetMs;
  }

  get isPaused(): boolean {
    return this.#world.now() < this.#pausedUntilMs;
  }

  pause(ms: number): void {
    this.#pausedUntilMs = this.#world.now() + ms;
  }

  now(): number {
    return this.#world.now() + this.#offsetMs;
  }

  random(): number {
    return this.#world.random();
  }

  setTimer(callback: () => void, delayMs: number): Timer {
    let timer: Timer;
    const fire = (): void => {
      if (this.isPaused) timer = this.#world.setTimer(fire, this.#pausedUntilMs - this.#world.now());
      else callback();
    };
    timer = this.#world.setTimer(fire, delayMs);
    return { cancel: () => timer.cancel() };
  }
}

/** A process's way to a store, on which the store may be away, and requests and answers may be lost. */
export class FaultyLink implements KeyedLedger {
  isDown = false;
  lost = 0;
  readonly #store: MemoryStore;
  readonly #world: VirtualRuntime;
  readonly #own: Runtime;

  constructor(store: MemoryStore, world: VirtualRuntime, own: Runtime) {
    this.#store = store;
    this.#world = world;
    this.#own = own;
  }

  async take(...args: Parameters<KeyedLedger["take"]>): Promise<readonly (BucketAnswer | DtError)[]> {
    await this.#way(this.#world);
    if (this.isDown) throw new DtError("DT_STORE_UNAVAILABLE", "it is down");
    const answers = await this.#store.take(...args);
    await this.#way(this.#own);
    if (this.#world.random() < this.lost / 2) return new Promise(() => undefined);
    if (this.#world.random() < this.lost) throw new DtError("DT_STORE_UNAVAILABLE", "lost", { effect: "unknown" });
    return answers;
  }

  #way(runtime: Runtime): Promise<void> {
    const slow = this.#world.random() < 0.05 ? 300 : 3;
    return new Promise((resolve) => void runtime.setTimer(resolve, this.#world.random() * slow));
  }
}
