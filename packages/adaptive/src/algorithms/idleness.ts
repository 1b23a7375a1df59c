import type { SampleWindow } from "./algorithm.ts";

/**
 * What reports say of a callee that is full at times and idle at others. At a callee of one server, a single call that
 * waits is a wait as long as the work; without it, the server is idle after each call until the next one comes. So a
 * wait above the aim is not too much by itself: it is while hardly a call finds the callee idle.
 */
export interface Idleness {
  /** Reports that were counted, and how many of them of calls that hardly waited; older ones count half. */
  readonly reports: number;
  readonly unqueued: number;
}

export const NO_REPORTS: Idleness = { reports: 0, unqueued: 0 };

/** After so many reports the count is halved: they tell a part of two in a hundred. */
const COUNTED = 100;
/**
 * So many of our own calls may wait for each call in a hundred that finds the callee idle: who has more waiting has the
 * larger part, and gives up first. But no more than this: then it is not chance that leaves the callee idle.
 */
const WAITING_FOR_IDLE = 100;
const MOST_WAITING = 6;

export function seeIdleness(before: Idleness, window: SampleWindow): Idleness {
  const kept = before.reports > COUNTED ? 0.5 : 1;
  return {
    reports: kept * before.reports + window.reports,
    unqueued: kept * before.unqueued + window.unqueued,
  };
}

/** Whether the callee is idle at times for lack of calls that wait: `by` is the part of that which is enough. */
export function isIdleAtTimes({ reports, unqueued }: Idleness, window: SampleWindow, by = 1): boolean {
  // By Little's law: what is answered in a millisecond, times the wait.
  const waiting = (window.successCost / Math.max(1, window.endMs - window.startMs)) * window.queueWaitMs;
  return waiting <= MOST_WAITING && by * waiting * reports <= WAITING_FOR_IDLE * unqueued;
}
