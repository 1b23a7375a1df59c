import type { Registration, Report } from "@dt/core";
import { SLOT_INTERVAL_MS } from "@dt/core/ledger";
import { report } from "./registration.ts";

/** What a member of a semaphore of one slot registers with. */
export const semaphoreTerms: Partial<Registration> = {
  max: 1,
  intervalMs: SLOT_INTERVAL_MS,
  demand: { want: 0, syncMs: 1_000, slots: { waiting: 0, head: 0, tookOffer: false } },
};

/** A report of a member that holds so much, and whose callers wait for so many slots. */
export function semaphoreReport(seq: number, held: number, waiting: number): Report {
  const slots = { waiting, head: Math.min(1, waiting), tookOffer: false };
  return report(seq, { held, max: 1, demand: { want: held + waiting, syncMs: 1_000, slots } });
}
