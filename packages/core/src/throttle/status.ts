import type { Membership } from "../consensus/membership.ts";
import type { DemandTracker } from "../demand/demand-tracker.ts";
import type { DtError } from "../errors/dt-error.ts";
import type { Allowance } from "./allowance.ts";
import type { BlockedBy } from "./blocked-by.ts";
import type { BlockedWatch } from "./blocked-watch.ts";
import type { Lifecycle } from "./lifecycle.ts";
import type { TokenLine } from "./token-line.ts";

/** A throttle at one instant, as data. */
export interface ThrottleStatus {
  readonly state: "idle" | "starting" | "running" | "draining" | "stopping" | "stopped" | "fenced";
  readonly group: string;
  readonly processorId: string;
  /** The epoch, numbered by the store's clock; undefined before the first look. */
  readonly epoch: number | undefined;
  /** Length of an epoch, in milliseconds. */
  readonly intervalMs: number;
  /** When the next epoch begins and brings a new share, in milliseconds from now. */
  readonly epochEndsInMs: number;
  /** The limit configured here, in tokens per interval. */
  readonly max: number;
  /** The group's limit: the smallest `max` of a live member; 0 before the first answer. */
  readonly capacity: number;
  /**
   * The level of the whole pool, in tokens per interval, as it would be if tokens were asked for now; never above
   * `cap`.
   */
  readonly level: number;
  /** What `throttle.cap` set, in tokens per interval of the whole pool; undefined for no cap. */
  readonly cap: number | undefined;
  /** Whole tokens of this epoch that are this processor's. */
  readonly share: number;
  /** Tokens granted in this epoch and not deposited: what counts as used for the mode. */
  readonly used: number;
  /** Tokens that `tryAcquire` could grant at this instant. */
  readonly available: number;
  /**
   * What keeps callers from being granted a token at this instant, until when, and what to do; undefined when nothing
   * does.
   */
  readonly blockedBy: BlockedBy | undefined;
  /** Callers waiting in `acquire`. */
  readonly waiting: number;
  /** Version of the group's membership and capacity; 0 before the first answer. */
  readonly generation: number;
  /** Live members of the group. */
  readonly poolSize: number;
  /** True when the last answer, still valid, was that every live member has adopted this generation. */
  readonly agreed: boolean;
  /** The most this processor may be using, in tokens of the capacity. */
  readonly held: number;
  /** Tokens that it said it could use per epoch; undefined when it shares evenly. */
  readonly want: number | undefined;
  /** How much longer the share may be used without another successful sync, in milliseconds. */
  readonly validForMs: number;
  /** Why the last call to the store failed; undefined after a success. */
  readonly lastError: DtError | undefined;
}

/** What a status is read from. */
export interface StatusSources extends Pick<ThrottleStatus, "group" | "processorId"> {
  readonly life: Lifecycle;
  readonly membership: Membership;
  readonly allowance: Allowance;
  readonly line: TokenLine;
  readonly demand: DemandTracker | undefined;
  readonly watch: BlockedWatch;
}

/** The status at an instant of the local clock. Begins an epoch that is due, and moves nothing else. */
export function statusAt(nowMs: number, { group, processorId, ...sources }: StatusSources): ThrottleStatus {
  const { life, membership, allowance, line, demand, watch } = sources;
  const { holding } = membership;
  if (nowMs >= allowance.untilMs) allowance.refresh(nowMs, false);
  return {
    state: membership.standing === "fenced" ? "fenced" : life.state,
    group,
    processorId,
    epoch: membership.clock.known ? allowance.epoch : undefined,
    intervalMs: allowance.intervalMs,
    epochEndsInMs: Math.max(0, allowance.epochEndMs - nowMs),
    max: allowance.limit.max,
    capacity: holding.capacity,
    level: allowance.level,
    cap: allowance.cap,
    share: allowance.allotment.tokens,
    used: allowance.allotment.used,
    available: line.size > 0 ? 0 : allowance.allotment.available(nowMs),
    blockedBy: watch.found(nowMs),
    waiting: line.size,
    generation: holding.generation,
    poolSize: holding.poolSize,
    agreed: membership.agreed && allowance.valid(nowMs),
    held: holding.held,
    want: demand?.told,
    validForMs: Math.max(0, membership.validUntilMs - nowMs),
    lastError: membership.lastError,
  };
}
