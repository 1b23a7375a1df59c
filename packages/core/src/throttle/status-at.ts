import { lastErrorOf } from "./blocked-by.ts";
import type { Parts } from "./parts.ts";
import type { ThrottleStatus } from "./status.ts";

/** What a status is read from. */
export type StatusSources = Pick<
  Parts,
  "settings" | "life" | "membership" | "allowance" | "queue" | "demand" | "watch" | "tally" | "grants"
>;

/** The status at this instant. Begins an epoch that is due, and moves nothing else. */
export function statusAt({
  settings,
  life,
  membership,
  allowance,
  queue,
  demand,
  watch,
  tally,
  grants,
}: StatusSources): ThrottleStatus {
  const nowMs = settings.runtime.now();
  const { holding } = membership;
  // In a pause an epoch may have begun that nothing was looked for in.
  if (nowMs >= Math.min(allowance.untilMs, allowance.epochEndMs)) allowance.refresh(nowMs, false);
  return {
    kind: "throttle",
    state: membership.standing === "fenced" ? "fenced" : life.state,
    name: settings.name,
    memberId: settings.memberId,
    epoch: membership.clock.known ? allowance.epoch : undefined,
    intervalMs: allowance.intervalMs,
    epochEndsInMs: Math.max(0, allowance.epochEndMs - nowMs),
    max: allowance.code.max,
    stored: settings.stored,
    capacity: holding.capacity,
    level: allowance.level,
    cap: allowance.cap,
    share: allowance.allotment.tokens,
    used: allowance.allotment.used,
    usedBefore: allowance.usedBefore(nowMs),
    nearLimit: allowance.nearLimit,
    available: queue.size > 0 ? 0 : allowance.allotment.available(nowMs),
    blockedBy: watch.foundForCalls(nowMs),
    pausedForMs: membership.pause.leftMs(nowMs),
    waiting: queue.size,
    maxWaiters: settings.maxWaiters,
    limiting: tally.isLimiting(nowMs),
    calls: tally.counts(),
    tokens: { granted: tally.units, deposited: grants.deposited },
    generation: holding.generation,
    members: holding.members,
    agreed: membership.agreed && allowance.valid(nowMs),
    held: holding.held,
    want: demand?.told,
    storeLost: life.state === "running" || life.state === "draining" ? allowance.storeLost(nowMs) : undefined,
    validForMs: Math.max(0, membership.validUntilMs - nowMs),
    lastError: lastErrorOf({ membership, startError: life.startError }),
  };
}
