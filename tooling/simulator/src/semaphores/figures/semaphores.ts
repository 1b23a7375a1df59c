import { createSemaphore, isDtError, MemoryStore, type Runtime, type Semaphore } from "@dt/core";
import { nearStore } from "./near-store.ts";
import type { Network } from "./network.ts";
import type { End, SlotSystem } from "./system.ts";

/** What of a semaphore's rules the store of a fleet has. */
export type StoreKind = "V0" | "V1" | "V1 no push";

const KINDS: Readonly<Record<StoreKind, { readonly slots: boolean; readonly hints: boolean }>> = {
  V0: { slots: false, hints: false },
  V1: { slots: true, hints: true },
  "V1 no push": { slots: true, hints: false },
};

/** What the store's clock shows when the fleet begins. */
const STORE_CLOCK_MS = 1_000_000_000;

/** Real semaphores on one store. */
export class SemaphoreFleet implements SlotSystem {
  commands = 0;
  readonly #semaphores: Semaphore[];
  readonly #dead = new Set<number>();

  constructor(network: Network, processes: number, max: number, kind: StoreKind) {
    const { timeline, random } = network;
    const runtime: Runtime = {
      now: () => STORE_CLOCK_MS + timeline.nowMs,
      random: () => random.next(),
      setTimer: (callback, delayMs) => {
        const event = timeline.after(Math.max(0, delayMs), callback);
        return {
          cancel: () => {
            event.cancelled = true;
          },
        };
      },
    };
    const store = new MemoryStore({ runtime });
    const capabilities = { ...store.capabilities, ...KINDS[kind] };
    this.#semaphores = Array.from({ length: processes }, (_, process) => {
      const isAlive = (): boolean => !this.#dead.has(process);
      const onCommand = (): void => {
        this.commands += 1;
      };
      return createSemaphore({
        name: "fleet",
        max,
        store: nearStore(store, capabilities, network, { isAlive, onCommand }),
        turn: network.setting.turnMs,
        maxWaiters: 1_000_000,
        runtime: {
          ...runtime,
          setTimer: (callback, delayMs) => runtime.setTimer(() => isAlive() && callback(), delayMs),
        },
      });
    });
    for (const semaphore of this.#semaphores) void semaphore.start();
  }

  acquire(process: number, begin: (end: End) => void, cost = 1): void {
    if (this.#dead.has(process)) return;
    const granted = (this.#semaphores[process] as Semaphore).acquire(cost);
    granted.then(
      (slot) => {
        if (!this.#dead.has(process)) begin(() => !this.#dead.has(process) && slot.release());
      },
      // A store without a queue refuses what no process is sure to get: such a caller is never served.
      (error: unknown) => {
        if (!isDtError(error, "DT_INVALID_COST")) throw error;
      },
    );
  }

  kill(process: number): void {
    this.#dead.add(process);
  }
}
