import type { SemaphoreBounds } from "./bounds.ts";

/** One exploration of the full run. */
export interface SlotRun {
  readonly name: string;
  readonly bounds: Partial<SemaphoreBounds>;
}

/** What `npm run model -- semaphore` explores when no bounds are given. */
export const FULL_SLOT_RUN: readonly SlotRun[] = [
  { name: "max 1", bounds: { ticks: 1, slow: 0 } },
  { name: "max 1, one slow call", bounds: { ticks: 0, slow: 1 } },
  { name: "max 1, one message lost", bounds: { ticks: 0, slow: 0, faults: 1 } },
  { name: "max 1, one message late or doubled", bounds: { ticks: 0, slow: 0, late: 1 } },
  { name: "max 1, a restart under one id", bounds: { ticks: 0, slow: 0, restarts: 1 } },
  { name: "max 2", bounds: { max: 2, ticks: 0, slow: 0 } },
  {
    name: "no caller waits, max 1, slow calls, one message lost",
    bounds: { ticks: 2, slow: 2, faults: 1, waiters: 0 },
  },
  { name: "no caller waits, max 1, one message late or doubled", bounds: { ticks: 2, slow: 1, late: 1, waiters: 0 } },
  { name: "no caller waits, max 1, a loss of data", bounds: { ticks: 4, slow: 0, losses: 1, waiters: 0 } },
  { name: "no caller waits, max 1, a restart under one id", bounds: { ticks: 2, slow: 0, restarts: 1, waiters: 0 } },
  { name: "no caller waits, max 1, processes leave", bounds: { ticks: 1, slow: 0, leaves: 2, late: 1, waiters: 0 } },
  { name: "no caller waits, max 2, one slow call", bounds: { max: 2, ticks: 2, slow: 1, waiters: 0 } },
  { name: "no caller waits, max 2, one message lost", bounds: { max: 2, ticks: 2, slow: 0, faults: 1, waiters: 0 } },
  { name: "without a queue, max 1, one slow call", bounds: { ticks: 2, slow: 1, waiters: 0, queue: false } },
  {
    name: "without a queue, max 1, a loss of data",
    bounds: { ticks: 4, slow: 0, losses: 1, waiters: 0, queue: false },
  },
  {
    name: "without a queue, max 2, one message lost",
    bounds: { max: 2, ticks: 2, slow: 0, faults: 1, waiters: 0, queue: false },
  },
];
