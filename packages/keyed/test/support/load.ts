import { MemoryStore, type Runtime } from "@dt/core";
import { VirtualRuntime } from "@dt/core/testing";
import { createKeyed, type Keyed, type KeyedOptions } from "../../src/index.ts";
import { Link, type LinkOptions } from "./link.ts";

/** Calls about one key. */
export interface Offered {
  readonly key: string;
  /** Which process makes them; without it each call goes to any of them. */
  readonly process?: number;
  /** Calls a second. */
  readonly perSecond: number;
  /** Evenly, or at random times, as of many independent callers. */
  readonly spacing: "even" | "random";
  readonly cost?: number;
}

/** What became of the calls about one key. */
export interface Result {
  /** When calls came, and what they cost. */
  readonly offered: { readonly atMs: number; readonly cost: number }[];
  /** When those were made that were allowed. */
  readonly calls: { readonly atMs: number; readonly cost: number }[];
  refused: number;
  /** How long each decision took. */
  readonly tookMs: number[];
}

/** Processes that decide calls about keys, over one store in virtual time. */
export class Load {
  readonly runtime: VirtualRuntime;
  readonly store: MemoryStore;
  readonly links: readonly Link[];
  readonly processes: readonly Keyed[];
  readonly results = new Map<string, Result>();

  constructor(options: Partial<KeyedOptions>, processes: number, link: LinkOptions = {}, seed = 1) {
    this.runtime = new VirtualRuntime({ seed });
    this.store = new MemoryStore({ runtime: this.runtime });
    this.links = Array.from({ length: processes }, () => new Link(this.store, this.runtime, link));
    this.processes = this.links.map((store) =>
      createKeyed({ name: "api", limit: { rate: "5/s", burst: 10 }, runtime: this.runtime, store, ...options }),
    );
  }

  get random(): () => number {
    return () => this.runtime.random();
  }

  /** Offers all of this for so long. */
  async run(offered: readonly Offered[], forMs: number): Promise<void> {
    const endMs = this.runtime.now() + forMs;
    for (const one of offered) this.#next(one, endMs, this.runtime.random() * (1_000 / one.perSecond));
    await this.runtime.advance(forMs);
  }

  of(key: string): Result {
    const result = this.results.get(key) ?? { offered: [], calls: [], refused: 0, tookMs: [] };
    this.results.set(key, result);
    return result;
  }

  /** Of all processes. */
  sum(name: "requests" | "decisions" | "roundTrips" | "keys" | "local"): number {
    return this.processes.reduce((sum, process) => sum + process.status()[name], 0);
  }

  #next(offered: Offered, endMs: number, afterMs: number): void {
    if (this.runtime.now() + afterMs >= endMs) return;
    (this.runtime as Runtime).setTimer(() => {
      void this.#call(offered);
      const meanMs = 1_000 / offered.perSecond;
      this.#next(offered, endMs, offered.spacing === "even" ? meanMs : -Math.log(1 - this.runtime.random()) * meanMs);
    }, afterMs);
  }

  async #call({ key, process, cost = 1 }: Offered): Promise<void> {
    const index = process ?? Math.floor(this.runtime.random() * this.processes.length);
    const result = this.of(key);
    const sinceMs = this.runtime.now();
    result.offered.push({ atMs: sinceMs, cost });
    try {
      const { allowed } = await (this.processes[index] as Keyed).check(key, cost);
      const atMs = this.runtime.now();
      result.tookMs.push(atMs - sinceMs);
      if (allowed && !this.links[index]?.isSilent) result.calls.push({ atMs, cost });
      if (!allowed) result.refused += 1;
    } catch {
      // The store is away.
    }
  }
}

/** How many of these calls one bucket refuses that decides each of them at once. */
export function refusedByOneBucket(
  calls: readonly { readonly atMs: number; readonly cost: number }[],
  perSecond: number,
  burst: number,
): number {
  let [units, lastMs, refused] = [burst, 0, 0];
  for (const { atMs, cost } of calls) {
    units = Math.min(burst, units + ((atMs - lastMs) * perSecond) / 1_000);
    lastMs = atMs;
    if (units < cost) refused += 1;
    else units -= cost;
  }
  return refused;
}
