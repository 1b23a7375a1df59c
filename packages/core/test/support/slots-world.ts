import {
  type CoordinationStore,
  createSemaphore,
  MemoryStore,
  type Semaphore,
  type SemaphoreOptions,
  type Slot,
  type SlotHint,
} from "../../src/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

/** A store with some of its parts replaced. */
export function altered<T extends object>(store: T, parts: { readonly [Name in keyof T]?: T[Name] | undefined }): T {
  return new Proxy(store, {
    get: (target, name) => {
      if (Object.hasOwn(parts, name)) return Reflect.get(parts, name);
      const own: unknown = Reflect.get(target, name, target);
      return typeof own === "function" ? own.bind(target) : own;
    },
  });
}

/** The same store without the queue of a semaphore. */
export function withoutQueue(store: CoordinationStore): CoordinationStore {
  return altered(store, { capabilities: { ...store.capabilities, slots: false }, onSlotHint: undefined });
}

/** The same store, which cannot send hints to one member. */
export function withoutHints(store: CoordinationStore): CoordinationStore {
  return altered(store, { onSlotHint: undefined });
}

/** Semaphores of one name on one store in memory, in virtual time, and the calls that run in them. */
export class SlotsWorld {
  readonly runtime: VirtualRuntime;
  readonly memory: MemoryStore;
  /** Requests that are sent take so long, and so do their answers; 0 is at once. */
  onwardMs = 0;
  backMs = 0;
  /** While it is true no request reaches the store. */
  isDown = false;
  syncs = 0;
  readonly store: CoordinationStore;
  running = 0;
  peak = 0;
  begun = 0;
  #busyMs = 0;
  #sinceMs = 0;

  constructor(seed = 1, kind: (store: CoordinationStore) => CoordinationStore = (store) => store) {
    this.runtime = new VirtualRuntime({ seed });
    this.memory = new MemoryStore({ runtime: this.runtime });
    const { memory } = this;
    this.store = altered<CoordinationStore>(kind(memory), {
      register: (...args) => this.#reached(() => memory.register(...args)),
      sync: (...args) => {
        this.syncs += 1;
        return this.#reached(() => memory.sync(...args));
      },
      deregister: (...args) => this.#reached(() => memory.deregister(...args)),
    });
  }

  semaphore(options: Partial<SemaphoreOptions> = {}): Semaphore {
    return createSemaphore({ name: "ocr", max: 2, store: this.store, runtime: this.runtime, ...options });
  }

  /** Takes slots and holds each for about `holdMs`, again and again, until the semaphore is stopped. */
  async calls(semaphore: Semaphore, holdMs: number): Promise<void> {
    for (;;) {
      const slot = await semaphore.acquire();
      this.begins(slot.cost);
      await this.elapsed(holdMs * (0.8 + 0.4 * this.runtime.random()));
      this.ends(slot);
    }
  }

  begins(slots: number): void {
    this.#count(slots);
    this.begun += 1;
    this.peak = Math.max(this.peak, this.running);
  }

  ends(slot: Slot): void {
    this.#count(-slot.cost);
    slot.release();
  }

  /** Slots that were in use on average since the beginning. */
  get use(): number {
    this.#count(0);
    return this.#busyMs / this.runtime.now();
  }

  elapsed(ms: number): Promise<void> {
    return new Promise((resolve) => void this.runtime.setTimer(resolve, ms));
  }

  #count(change: number): void {
    this.#busyMs += this.running * (this.runtime.now() - this.#sinceMs);
    this.#sinceMs = this.runtime.now();
    this.running += change;
  }

  async #reached<T>(request: () => Promise<T>): Promise<T> {
    if (this.isDown) throw new Error("the store is down");
    if (this.onwardMs > 0) await this.elapsed(this.onwardMs * (0.5 + this.runtime.random()));
    const answer = await request();
    if (this.backMs > 0) await this.elapsed(this.backMs * (0.5 + this.runtime.random()));
    return answer;
  }
}

/** A store whose hints to a member can be sent by the test, once it listens. */
export function hintable(
  store: CoordinationStore,
  listens: Promise<void> = Promise.resolve(),
): {
  readonly store: CoordinationStore;
  readonly send: (hint: SlotHint | undefined) => void;
  readonly listeners: ReadonlySet<(hint: SlotHint | undefined) => void>;
} {
  const listeners = new Set<(hint: SlotHint | undefined) => void>();
  return {
    listeners,
    store: altered(store, {
      onSlotHint: async (_group, _member, listener) => {
        listeners.add(listener);
        await listens;
        return () => void listeners.delete(listener);
      },
    }),
    send: (hint) => {
      for (const listener of listeners) listener(hint);
    },
  };
}
