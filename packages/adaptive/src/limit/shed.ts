import type { Events } from "@dt/core/internal";
import type { ConcurrencyLimitEvents, ShedReason } from "./events.ts";
import type { Partition } from "./partitions.ts";

/** Counts the calls that were turned away, and reports each. */
export class Shed {
  count = 0;
  readonly #events: Events<ConcurrencyLimitEvents>;

  constructor(events: Events<ConcurrencyLimitEvents>) {
    this.#events = events;
  }

  report(
    reason: ShedReason,
    call: { readonly cost: number; readonly priority: number; readonly partition: Partition },
  ): void {
    this.count += 1;
    const { cost, priority, partition } = call;
    if (this.#events.has("shed")) this.#events.emit("shed", { reason, cost, priority, partition: partition.name });
  }
}
