import type { DtError } from "../errors/dt-error.ts";
import { invalidOption } from "../options/check.ts";

/** Everything an operator would want to see of a throttle, by name. */
export interface ThrottleEvents {
  /** The membership or capacity of the group changed. */
  readonly generation: { readonly generation: number; readonly poolSize: number; readonly capacity: number };
  /** Every live member has adopted the current generation (`agreed`), or no longer. */
  readonly agreement: { readonly agreed: boolean; readonly poolSize: number; readonly generation: number };
  /** This processor's share of an epoch, when it differs from the last one: whole tokens, and the level of the whole pool. */
  readonly share: { readonly epoch: number; readonly tokens: number; readonly level: number; readonly agreed: boolean };
  /** Tokens were granted in an epoch. */
  readonly grant: { readonly epoch: number; readonly tokens: number };
  /**
   * Unused tokens were given back, of the epoch they were granted in. `regrantable`: in that epoch, so that they can be granted again; otherwise they
   * only count as unused for the mode. The calls that an epoch may see are its grants less its regrantable deposits.
   */
  readonly deposit: { readonly epoch: number; readonly tokens: number; readonly regrantable: boolean };
  /** No successful sync for `validity`: from now on `onStoreLost` decides. */
  readonly validityLost: { readonly policy: "stop" | "hold" | "floor"; readonly silentMs: number };
  /** The store answers again and the share is valid. */
  readonly validityRegained: { readonly lostMs: number };
  /** A call to the store failed; it is tried again. */
  readonly storeError: { readonly operation: "register" | "sync" | "deregister" | "watch"; readonly error: DtError };
  /** Another process registered under this processor's id; this one grants nothing more. */
  readonly fenced: { readonly processorId: string };
}

const NAMES: Readonly<Record<ThrottleEvent, true>> = {
  generation: true,
  agreement: true,
  share: true,
  grant: true,
  deposit: true,
  validityLost: true,
  validityRegained: true,
  storeError: true,
  fenced: true,
};

export type ThrottleEvent = keyof ThrottleEvents;
export type Listener<E extends ThrottleEvent> = (event: ThrottleEvents[E]) => void;

/** Typed events that cost nothing while nobody listens: ask `has` before building one. A listener that throws does not disturb the throttle. */
export class Events {
  readonly #listeners = new Map<ThrottleEvent, Set<Listener<ThrottleEvent>>>();
  readonly #onChange: () => void;

  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  on<E extends ThrottleEvent>(name: E, listener: Listener<E>): () => void {
    if (!Object.hasOwn(NAMES, name))
      throw invalidOption("event", name, `there is no such event; known are ${Object.keys(NAMES).join(", ")}`);
    if (typeof listener !== "function") throw invalidOption("listener", listener, "give a function");
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners);
    // A fresh function for each registration, so that one listener registered twice is called twice and removed once.
    const own: Listener<ThrottleEvent> = (event) => listener(event as ThrottleEvents[E]);
    listeners.add(own);
    this.#onChange();
    return () => {
      listeners.delete(own);
      this.#onChange();
    };
  }

  has(name: ThrottleEvent): boolean {
    return (this.#listeners.get(name)?.size ?? 0) > 0;
  }

  emit<E extends ThrottleEvent>(name: E, event: ThrottleEvents[E]): void {
    for (const listener of this.#listeners.get(name) ?? []) {
      try {
        listener(event);
      } catch (error) {
        // Reported as what it is, an uncaught exception of the listener, outside the throttle's own work.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
