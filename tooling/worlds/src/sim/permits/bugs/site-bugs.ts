import { type Bug, bug } from "../../bugs/bug.ts";
import type { Seams } from "../../bugs/seams.ts";

type Waiter = Parameters<InstanceType<Seams["pacer/stealing.ts"]["Stealing"]>["enter"]>[0];

/** Faults of pacers whose total is divided among sites. */
export const SITE_BUGS: readonly Bug[] = [
  bug("takes-own-part-twice", "takes the whole total as each site's part", {
    "pacer/site-parts.ts": {
      divideAmongSites:
        ({ divideAmongSites }) =>
        (total, weights) => {
          const parts = divideAmongSites(total, weights);
          return new Map([...parts].map(([name, part]) => [name, { ...part, everyMs: total.everyMs }]));
        },
    },
  }),
  bug("stolen-to-the-last", "gives what it took from another site to whoever came last", {
    "pacer/stealing.ts": {
      Stealing: ({ Stealing }) =>
        class extends Stealing {
          /** What stands in the line for each who waits, the newest last. */
          readonly #standIns = new Map<Waiter, Waiter>();

          override enter(waiter: Waiter): void {
            const standIn: Waiter = { ...waiter, take: (stolen) => this.#newestTakes(standIn, stolen) };
            this.#standIns.set(waiter, standIn);
            super.enter(standIn);
          }

          override leave(waiter: Waiter): void {
            const standIn = this.#standIns.get(waiter);
            this.#standIns.delete(waiter);
            if (standIn) super.leave(standIn);
          }

          /** Whoever should have taken it keeps a place in the line: that of the newest. */
          #newestTakes(called: Waiter, stolen: Parameters<Waiter["take"]>[0]): boolean {
            const alike = [...this.#standIns].filter(([{ cost }]) => cost === called.cost);
            const [passedOver] = alike.find(([, standIn]) => standIn === called) ?? [];
            const [newest, itsOwn] = alike.at(-1) ?? [];
            if (!passedOver || !newest || !itsOwn) return false;
            this.#standIns.set(passedOver, itsOwn).set(newest, called);
            return newest.take(stolen);
          }
        },
    },
  }),
];
