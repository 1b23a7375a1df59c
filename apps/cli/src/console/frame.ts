import type { FleetReport, KeysReport, LimiterReport, MemberReport, State } from "../fleet/report.ts";
import {
  type Frame,
  type LimiterFrame,
  type Mark,
  MOST_FINDINGS,
  MOST_KEYS,
  MOST_LIMITERS,
  MOST_SHOWN,
  type ShownMember,
} from "./protocol.ts";

/** How much of a fleet a frame has, of all limiters together. */
interface Size {
  readonly limiters: number;
  /** Members that are shown by themselves. */
  readonly members: number;
  readonly keys: number;
}

/** The first one is for every fleet with names of a usual length; the others are for a store with hostile ones. */
const SIZES: readonly Size[] = [
  { limiters: MOST_LIMITERS, members: 240, keys: 240 },
  { limiters: 20, members: 40, keys: 40 },
  { limiters: 2, members: 4, keys: 4 },
];

/** What a frame may take, in characters of its JSON. */
const MOST_CHARACTERS = 60_000;

/** The most limits of a limiter in a frame. */
const MOST_LIMITS = 16;

/** The longest sentence, in characters: a name in it may have a thousand. */
const LONGEST_TEXT = 400;

const URGENCY: Readonly<Record<State, number>> = { attention: 0, limited: 1, ok: 2 };

/** Which members of a limiter are shown: {@link ShownMembers.add}. */
export type Choose = (limiter: LimiterReport, members: readonly MemberReport[], most: number) => readonly string[];

/**
 * What a page is sent of a report: bounded, whatever the store claims.
 * @param marks what happened since the frame before
 * @param choose which members are shown
 */
export function frameOf(report: FleetReport, marks: readonly Mark[], choose: Choose): Frame {
  const chosen = new Map(
    report.limiters.map((limiter) => [limiter, limiter.members ? choose(limiter, limiter.members, MOST_SHOWN) : []]),
  );
  const frames = SIZES.map((size) => () => frameOfSize(report, marks, (limiter) => chosen.get(limiter) ?? [], size));
  for (const make of frames.slice(0, -1)) {
    const frame = make();
    if (JSON.stringify(frame).length <= MOST_CHARACTERS) return frame;
  }
  return (frames.at(-1) as () => Frame)();
}

/** A frame of a time at which the store could not be read: the limiters are those of the frame before. */
export function failedFrame(last: Frame, atMs: number, error: string): Frame {
  const verdict = `The store cannot be read: ${error}`;
  return { ...last, atMs, storeMs: null, error, state: "attention", verdict: cut(verdict), marks: [] };
}

/** A frame as it is kept: what is drawn of the minutes before. */
export function keptFrame(frame: Frame): Frame {
  const limiters = frame.limiters.map((limiter) => ({
    ...{ ...limiter, findings: [] },
    ...(limiter.keys && { keys: { ...limiter.keys, busiest: [] } }),
  }));
  return { ...frame, limiters, marks: [] };
}

function frameOfSize(
  { atMs, requests, state, verdict, limiters }: FleetReport,
  marks: readonly Mark[],
  chosen: (limiter: LimiterReport) => readonly string[],
  size: Size,
): Frame {
  const kept = mostUrgent(limiters, size.limiters);
  const members = partOf(size.members, kept.filter((limiter) => limiter.members).length, MOST_SHOWN);
  const keys = partOf(size.keys, kept.filter((limiter) => limiter.keys).length, MOST_KEYS);
  return {
    ...{ atMs, state, verdict: cut(verdict), marks: marks.map(cutMark) },
    storeMs: { mean: requests.meanMs, max: requests.maxMs },
    limiters: kept.map((limiter) => limiterFrameOf(limiter, chosen(limiter).slice(0, members), keys)),
    more: limiters.length - kept.length,
  };
}

/** What each of some limiters has of what there is for all of them. */
function partOf(all: number, limiters: number, most: number): number {
  return Math.max(2, Math.min(most, Math.floor(all / Math.max(1, limiters))));
}

/** In the order of the report. */
function mostUrgent(limiters: readonly LimiterReport[], most: number): readonly LimiterReport[] {
  if (limiters.length <= most) return limiters;
  const urgent = [...limiters].sort((a, b) => URGENCY[a.state] - URGENCY[b.state]).slice(0, most);
  const kept = new Set(urgent);
  return limiters.filter((limiter) => kept.has(limiter));
}

function limiterFrameOf(limiter: LimiterReport, ids: readonly string[], mostKeys: number): LimiterFrame {
  const { kind, name, state, findings, limits, waiting, pausedForMs, members, keys, stored, error } = limiter;
  return {
    ...{ kind, name, state, pausedForMs, stored: stored?.inForce === true },
    findings: findings.slice(0, MOST_FINDINGS).map((finding) => ({ ...finding, text: cut(finding.text) })),
    limits: limits.slice(0, MOST_LIMITS),
    ...(waiting !== undefined && { waiting }),
    ...(members && { members: membersOf(members, ids) }),
    ...(keys && { keys: keysOf(keys, mostKeys) }),
    ...(error && { error: { code: error.code, message: cut(error.message) } }),
  };
}

function membersOf(members: readonly MemberReport[], ids: readonly string[]): NonNullable<LimiterFrame["members"]> {
  const byId = new Map(members.map((member) => [member.id, member]));
  const shown = ids.map((id) => byId.get(id)).filter((member) => member !== undefined);
  const own = new Set(ids);
  const rest = members.filter(({ id }) => !own.has(id));
  return {
    count: members.length,
    shown: shown.map(({ id, held, used, waiting, state }): ShownMember => ({ id, held, used, waiting, state })),
    rest: {
      count: rest.length,
      held: rest.reduce((sum, { held }) => sum + held, 0),
      used: sumOf(rest, ({ used }) => used),
      waiting: sumOf(rest, ({ waiting }) => waiting),
    },
  };
}

/** Null where it is known of none. */
function sumOf(members: readonly MemberReport[], of: (member: MemberReport) => number | null): number | null {
  const known = members.map(of).filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
}

function keysOf({ busiest, ...counts }: KeysReport, most: number): KeysReport {
  return { ...counts, busiest: busiest.slice(0, most) };
}

function cutMark(mark: Mark): Mark {
  return { ...mark, text: cut(mark.text) };
}

/** Never between the halves of a character. */
function cut(text: string): string {
  return text.length <= LONGEST_TEXT ? text : `${text.slice(0, LONGEST_TEXT - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
