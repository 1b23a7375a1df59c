import { type DtError, isDtError, type Runtime } from "@dt/core";
import type { Events } from "@dt/core/internal";
import type { ServerLimitEvents } from "./events.ts";
import type { Answer } from "./policies/policy.ts";

/** What becomes of a request while the store is away. */
export type WhenStoreLost = "allow" | "deny";

/** How a policy and its store stand, as data. */
export interface StoreStatus {
  /** True while the store is away, as far as this process knows. */
  readonly storeLost: boolean;
  /** How many times it has been away. */
  readonly outages: number;
  /** Requests that went on uncounted, since their key could not be looked up. */
  readonly allowedUncounted: number;
  /** Requests that were answered 503, since their key could not be looked up. */
  readonly deniedUncounted: number;
  /** Why the last of them could not be looked up. */
  readonly lastError: Error | undefined;
}

interface Watched {
  outages: number;
  allowedUncounted: number;
  deniedUncounted: number;
  lastError: DtError | undefined;
  /** The outage that lasts: when it began, and the requests in it. */
  outage: { readonly sinceMs: number; requests: number } | undefined;
}

/** Notices, for each policy, when its store goes away and comes back, and decides on the requests in between. */
export class StoreWatch {
  readonly #runtime: Runtime;
  readonly #comeBackMs: () => number;
  readonly #events: Events<ServerLimitEvents>;
  readonly #policies = new Map<string, Watched>();

  constructor(runtime: Runtime, comeBackMs: () => number, events: Events<ServerLimitEvents>) {
    this.#runtime = runtime;
    this.#comeBackMs = comeBackMs;
    this.#events = events;
  }

  /** A request's key could not be looked up. */
  lost(policy: string, error: DtError, told: WhenStoreLost): Answer {
    const watched = this.#of(policy);
    watched.lastError = error;
    // These are errors of one key: the store has answered.
    if (!isDtError(error, "DT_STORE_DATA") && !isDtError(error, "DT_PACE_MISMATCH")) {
      if (!watched.outage) {
        watched.outage = { sinceMs: this.#runtime.now(), requests: 0 };
        watched.outages += 1;
        this.#events.emit("storeLost", { policy, error, whenStoreLost: told });
      }
      watched.outage.requests += 1;
    }
    if (told === "allow") {
      watched.allowedUncounted += 1;
      return { granted: true, giveBack: () => undefined };
    }
    watched.deniedUncounted += 1;
    return { granted: false, cause: "capacity", retryAfterMs: this.#comeBackMs() };
  }

  /** The store has answered. */
  answered(policy: string): void {
    const watched = this.#of(policy);
    if (!watched.outage) return;
    const { sinceMs, requests } = watched.outage;
    watched.outage = undefined;
    this.#events.emit("storeBack", { policy, forMs: this.#runtime.now() - sinceMs, requests });
  }

  status(): Readonly<Record<string, StoreStatus>> {
    const told = [...this.#policies].map(([name, { outage, ...counts }]): [string, StoreStatus] => [
      name,
      { storeLost: outage !== undefined, ...counts },
    ]);
    return Object.fromEntries(told);
  }

  /** Begins to watch the store of a policy. */
  add(policy: string): void {
    this.#of(policy);
  }

  #of(policy: string): Watched {
    let watched = this.#policies.get(policy);
    if (!watched) {
      watched = { outages: 0, allowedUncounted: 0, deniedUncounted: 0, lastError: undefined, outage: undefined };
      this.#policies.set(policy, watched);
    }
    return watched;
  }
}
