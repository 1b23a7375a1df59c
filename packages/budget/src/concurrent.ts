import { type CoordinationStore, createSemaphore, type Semaphore } from "@dt/core";
import type { BudgetSettings } from "./options.ts";

/** The slots of `concurrent`: a semaphore of the budget's name. */
export function semaphoreOf({
  name,
  store,
  stored,
  concurrent,
  maxWaiters,
  storeTimeoutMs,
  runtime,
}: BudgetSettings): Semaphore | undefined {
  if (concurrent === undefined) return undefined;
  return createSemaphore({
    ...{ name, max: concurrent, stored, maxWaiters, storeTimeout: storeTimeoutMs, runtime },
    store: store as CoordinationStore,
  });
}
