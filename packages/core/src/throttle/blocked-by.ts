import type { Membership } from "../consensus/membership.ts";
import type { DtError } from "../errors/dt-error.ts";
import { describe } from "../internal/duration.ts";
import type { Allotment } from "../shares/allotment.ts";
import type { Allowance } from "./allowance.ts";
import { JointAllotment } from "./joint-allotment.ts";
import type { ThrottleSettings } from "./settings.ts";
import type { BlockedBy, BlockedReason, ThrottleStatus } from "./status.ts";

/** From this length of an epoch on, its length is what is waited for at first. */
const LONG_INTERVAL_MS = 10_000;

/** What the reason is found in. */
export interface BlockedSources {
  readonly settings: Pick<ThrottleSettings, "name" | "memberId" | "intervalMs">;
  readonly state: string;
  readonly startError: DtError | undefined;
  readonly membership: Membership;
  readonly allowance: Allowance;
}

/** Why `tokens` cannot be granted at an instant; undefined when they can. The allowance is up to date. */
export function blockedBy(nowMs: number, sources: BlockedSources, tokens: number): BlockedBy | undefined {
  const found = find(nowMs, sources, tokens);
  if (found === undefined) return undefined;
  const [reason, untilMs, what] = found;
  const endsInMs = untilMs === undefined ? undefined : Math.max(0, untilMs - nowMs);
  const when = endsInMs === undefined ? "" : `, for another ${Math.ceil(endsInMs)} ms at least`;
  const message = `${what}${when}${longInterval(reason, sources.settings.intervalMs)}`;
  return { reason, endsInMs, message, error: lastErrorOf(sources) };
}

type Found = readonly [reason: BlockedReason, untilMs: number | undefined, what: string];

/** Why the last call to the store failed, or the last start. */
export function lastErrorOf({
  membership,
  startError,
}: Pick<BlockedSources, "membership" | "startError">): DtError | undefined {
  return membership.lastError ?? startError;
}

function find(nowMs: number, sources: BlockedSources, tokens: number): Found | undefined {
  const { settings, membership, allowance } = sources;
  const { memberId } = settings;
  if (membership.standing === "fenced")
    return ["fenced", undefined, `another process registered under memberId ${describe(memberId)}`];
  const ofLife = ofState(sources);
  if (ofLife !== undefined) return ofLife;
  const { pause } = membership;
  if (pause.leftMs(nowMs) > 0) return ["pause", pause.untilMs, "the fleet is paused (pauseUntil, here or elsewhere)"];
  const { allotment, level } = allowance;
  const available = allotment.available(nowMs);
  if (available >= tokens) return undefined;
  const nextMs = Math.min(allotment.nextAt(nowMs, tokens), allowance.epochEndMs);
  if (allotment instanceof JointAllotment && allotment.waitsForOther(nowMs)) return ofReplaced(nowMs, allotment.other);
  if (level < 1) return ["paused", undefined, pauseOf(level, allowance.cap)];
  if (allotment.tokens > 0 && tokens > allotment.most) return ["share", undefined, tooMany(tokens, allotment)];
  if (available > 0) return ["share", nextMs, `${available} of ${tokens} tokens are there`];
  if (allotment.tokens > 0)
    return ["share", nextMs, `the ${allotment.tokens} tokens of this member in this epoch are used up`];
  if (!allowance.valid(nowMs)) return ["store", undefined, storeText(membership)];
  const { holding, obstacles } = membership;
  if (holding.held > 0)
    return ["share", nextMs, `the ${holding.held} tokens that this member holds begin with a later epoch`];
  if (obstacles.learning)
    return [
      "learning",
      obstacles.learningUntilMs,
      "the group is new and learns: its store may have lost data, so that survivors claim their shares first",
    ];
  const { silent } = obstacles;
  if (silent !== undefined)
    return [
      "stale-members",
      silent.untilMs,
      `${silent.held} tokens are held by ${silent.members} members that fell silent and are not removed yet`,
    ];
  return ["members", undefined, `the tokens are held by the ${holding.members - 1} other members`];
}

/** Tokens that can never be there at once: only `acquire` collects them. */
function tooMany(tokens: number, { most, tokens: share }: Allotment): string {
  const holds = most < share ? `the burst of this member, ${most}` : `the share of this member in this epoch, ${share}`;
  return `${tokens} tokens at once are more than ${holds}; acquire(${tokens}) collects them over several epochs`;
}

function ofState(sources: BlockedSources): Found | undefined {
  const { state } = sources;
  switch (state) {
    case "running":
      return undefined;
    case "idle":
    case "starting": {
      const lastError = lastErrorOf(sources);
      const why = lastError === undefined ? "" : `; the last try ended with: ${lastError.message}`;
      return ["starting", undefined, `the throttle has not joined its group yet${why}`];
    }
    default:
      return ["stopped", undefined, "the throttle was stopped or is being drained"];
  }
}

function ofReplaced(nowMs: number, { name, blockedBy: other }: ThrottleStatus): Found {
  const { reason = "share", endsInMs, message = "no token is there" } = other ?? {};
  const untilMs = endsInMs === undefined ? undefined : nowMs + endsInMs;
  return [reason, untilMs, `of the throttle ${describe(name)}, which this one replaces: ${message}`];
}

function pauseOf(level: number, cap: number | undefined): string {
  const by = cap !== undefined && cap <= level ? `cap(${cap})` : "the ramp";
  return `the level is ${level} tokens per interval for the whole group, by ${by}`;
}

function storeText({ lastError }: Membership): string {
  return `there is no valid share${lastError === undefined ? "; the store is asked" : `: ${lastError.message}`}`;
}

/** What a long epoch costs, where that is what is waited for. */
function longInterval(reason: BlockedReason, intervalMs: number): string {
  if (intervalMs < LONG_INTERVAL_MS || !["learning", "members", "share", "stale-members"].includes(reason)) return "";
  return `; tokens come with epochs of ${intervalMs} ms: with an interval of a second, and as much less max, they come sooner`;
}
