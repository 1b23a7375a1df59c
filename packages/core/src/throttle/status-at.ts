import type { Membership } from "../consensus/membership.ts";
import type { DemandTracker } from "../demand/demand-tracker.ts";
import type { Allowance } from "./allowance.ts";
import type { BlockedWatch } from "./blocked-watch.ts";
import type { Lifecycle } from "./lifecycle.ts";
import type { ThrottleStatus } from "./status.ts";
import type { TokenQueue } from "./token-queue.ts";

/** What a status is read from. */
export interface StatusSources extends Pick<ThrottleStatus, "name" | "memberId"> {
  readonly life: Lifecycle;
  readonly membership: Membership;
  readonly allowance: Allowance;
  readonly queue: TokenQueue;
  readonly demand: DemandTracker | undefined;
  readonly watch: BlockedWatch;
}

/** The status at an instant of the local clock. Begins an epoch that is due, and moves nothing else. */
export function statusAt(nowMs: number, { name: group, memberId, ...sources }: StatusSources): ThrottleStatus {
  const { life, membership, allowance, queue, demand, watch } = sources;
  const { holding } = membership;
  if (nowMs >= allowance.untilMs) allowance.refresh(nowMs, false);
  return {
    state: membership.standing === "fenced" ? "fenced" : life.state,
    name: group,
    memberId,
    epoch: membership.clock.known ? allowance.epoch : undefined,
    intervalMs: allowance.intervalMs,
    epochEndsInMs: Math.max(0, allowance.epochEndMs - nowMs),
    max: allowance.limit.max,
    capacity: holding.capacity,
    level: allowance.level,
    cap: allowance.cap,
    share: allowance.allotment.tokens,
    used: allowance.allotment.used,
    available: queue.size > 0 ? 0 : allowance.allotment.available(nowMs),
    blockedBy: watch.found(nowMs),
    waiting: queue.size,
    generation: holding.generation,
    members: holding.members,
    agreed: membership.agreed && allowance.valid(nowMs),
    held: holding.held,
    want: demand?.told,
    validForMs: Math.max(0, membership.validUntilMs - nowMs),
    lastError: membership.lastError,
  };
}
