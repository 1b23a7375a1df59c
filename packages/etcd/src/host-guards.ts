import type { Runtime } from "@dt/core";

/** How long a node is left out after it failed, while another one is there. */
const AVOID_MS = 2_000;

/** What etcd3 calls around every request to a node. */
export interface HostGuard {
  execute<T>(call: () => T | Promise<T>): Promise<T>;
}

/**
 * Keeps requests away from nodes that failed lately (stopped, cut off, killed), as long as there is another one. Each
 * request still goes to one node only: etcd3 asks the next one when a guard refuses before anything was sent.
 */
export class HostGuards {
  readonly #runtime: Runtime;
  readonly #isFault: (error: unknown) => boolean;
  readonly #avoidUntilMs = new Map<string, number>();

  /** @param isFault tells faults of a node from refusals, which any node would give */
  constructor(runtime: Runtime, hosts: readonly string[], isFault: (error: unknown) => boolean) {
    this.#runtime = runtime;
    this.#isFault = isFault;
    for (const host of hosts) this.#avoidUntilMs.set(host, Number.NEGATIVE_INFINITY);
  }

  guard(host: string): HostGuard {
    return {
      execute: async (call) => {
        if (this.#isAvoided(host)) throw new Error(`etcd node ${host} failed a moment ago`);
        try {
          return await call();
        } catch (error) {
          if (this.#isFault(error)) this.#avoidUntilMs.set(host, this.#runtime.now() + AVOID_MS);
          throw error;
        }
      },
    };
  }

  /** When all have failed, the one that failed first is worth another try. */
  #isAvoided(host: string): boolean {
    const untilMs = this.#avoidUntilMs.get(host) ?? 0;
    return this.#runtime.now() < untilMs && untilMs > Math.min(...this.#avoidUntilMs.values());
  }
}
