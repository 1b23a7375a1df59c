import type { Put } from "./series.ts";

/** What of a semaphore's status becomes metrics. */
export interface SemaphoreStatus {
  readonly capacity: number;
  readonly members: number;
  readonly held: number;
  readonly inUse: number;
  readonly valid: boolean;
  readonly lost: number;
  readonly overdue: number;
}

/** Puts what a semaphore has beside other limiters. */
export function putSemaphore(status: SemaphoreStatus, put: Put): void {
  const { capacity, members, held, inUse, valid, lost, overdue } = status;
  put("dt.slots.held", held);
  put("dt.slots.in_use", inUse);
  put("dt.slots.lost", lost);
  put("dt.slots.overdue", overdue);
  put("dt.usage", inUse);
  // Before the first answer nothing is known of the fleet.
  if (members === 0) return;
  put("dt.limit", capacity);
  put("dt.utilization", inUse / capacity);
  put("dt.members", members);
  put("dt.store.valid", Number(valid));
}
