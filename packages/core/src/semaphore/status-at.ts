import type { Parts } from "./parts.ts";
import type { SemaphoreStatus } from "./status.ts";

/** The status at this instant; moves nothing. */
export function statusAt({ settings, life, member, share, open, queue, tally }: Parts): SemaphoreStatus {
  const nowMs = settings.runtime.now();
  const { held, inUse, capacity, members, waterLevel, over, cap, code } = share;
  const valid = share.isMember && share.isValid(nowMs);
  return {
    kind: "semaphore",
    state: member.isFenced && life.state !== "stopped" ? "fenced" : life.state,
    name: settings.name,
    memberId: settings.memberId,
    max: code,
    stored: settings.stored,
    capacity,
    members,
    held,
    inUse,
    waiting: queue.size,
    maxWaiters: settings.maxWaiters,
    limiting: tally.isLimiting(nowMs),
    calls: tally.counts(),
    waterLevel,
    isQueued: member.isQueued,
    over,
    learning: member.isLearning,
    valid,
    validForMs: valid ? share.validUntilMs - nowMs : 0,
    pausedForMs: member.pause.leftMs(nowMs),
    cap: cap === Number.POSITIVE_INFINITY ? undefined : cap,
    lost: open.lost,
    overdue: open.overdue,
    lastError: life.startError ?? member.lastError,
  };
}
