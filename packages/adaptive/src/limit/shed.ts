import { DtError } from "@dt/core";
import { describe, type Events } from "@dt/core/internal";
import type { ConcurrencyLimitEvents, ShedReason } from "./events.ts";
import type { Partition } from "./partitions.ts";

/** Counts the calls that were turned away, and tells of each. */
export class Shed {
  count = 0;
  readonly #events: Events<ConcurrencyLimitEvents>;

  constructor(events: Events<ConcurrencyLimitEvents>) {
    this.#events = events;
  }

  tell(
    reason: ShedReason,
    call: { readonly cost: number; readonly priority: number; readonly partition: Partition },
  ): void {
    this.count += 1;
    const { cost, priority, partition } = call;
    if (this.#events.has("shed")) this.#events.emit("shed", { reason, cost, priority, partition: partition.name });
  }
}

/** Nobody was served within the limit's own time. */
export function acquireTimeout(name: string, timeoutMs: number | undefined): DtError {
  return new DtError(
    "DT_TIMEOUT",
    `no slot of ${describe(name)} within acquireTimeout (${timeoutMs} ms); pass { timeout } to be answered undefined instead, or send less`,
  );
}

/** It grants nothing more. */
export function stoppedError(name: string, state: "draining" | "stopped"): DtError {
  const what = state === "draining" ? "is being drained" : "was stopped";
  return new DtError("DT_STOPPED", `the concurrency limit ${describe(name)} ${what}; create a new one`);
}
