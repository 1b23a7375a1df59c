import type { LimitRecord, LimitValues } from "@dt/core";
import type { FleetReport, LimiterReport, MemberReport } from "../fleet/report.ts";
import type { Mark } from "./protocol.ts";

/** More marks of one kind of one limiter between two reports are one. */
const MOST_ALIKE = 4;

/**
 * Between two reports so far apart a member may have fallen silent and been removed without being seen silent: the
 * shortest default of a stale age is 10 s, and a member is silent for the last 7 s of it.
 */
const UNSEEN_MS = 7_000;

/** The most marks of a frame; there are further ones only where hundreds of limiters change at once. */
export const MOST_MARKS = 100;

/**
 * What happened between two reports of a fleet: members that joined, left, crashed or fell silent, limits that changed,
 * pauses and damage.
 * @param before the report before; undefined for the first one, of which nothing is marked
 */
export function marksBetween(before: FleetReport | undefined, after: FleetReport): readonly Mark[] {
  if (before === undefined) return [];
  const former = new Map(before.limiters.map((limiter) => [keyOf(limiter), limiter]));
  const wasSeen = after.atMs - before.atMs < UNSEEN_MS;
  return after.limiters
    .flatMap((limiter) => marksOf(former.get(keyOf(limiter)), limiter, after.atMs, wasSeen))
    .slice(0, MOST_MARKS);
}

/** Kind and name as one text. */
export function keyOf({ kind, name }: Pick<LimiterReport, "kind" | "name">): string {
  return `${kind} ${name}`;
}

function marksOf(
  before: LimiterReport | undefined,
  after: LimiterReport,
  atMs: number,
  wasSeen: boolean,
): readonly Mark[] {
  const { kind, name } = after;
  const events = [
    ...damageOf(before, after),
    // What a damaged row does not tell has not left.
    ...(before?.error || after.error ? [] : membersOf(before?.members ?? [], after.members ?? [], wasSeen)),
    ...(before === undefined || before.error || after.error ? [] : limitOf(before, after)),
    ...pauseOf(before, after),
  ];
  return events.map(([what, text]) => ({ atMs, kind, name, what, text }));
}

type Event = readonly [what: Mark["what"], text: string];

function damageOf(before: LimiterReport | undefined, { error }: LimiterReport): readonly Event[] {
  // Anything else is about the store, not about the limiter.
  if (error?.code !== "DT_STORE_DATA" || before?.error !== undefined) return [];
  return [["damage", `cannot be read: ${error.message}`]];
}

function membersOf(
  before: readonly MemberReport[],
  after: readonly MemberReport[],
  wasSeen: boolean,
): readonly Event[] {
  const [former, now] = [before, after].map((members) => new Map(members.map((member) => [member.id, member])));
  const gone = before.filter(({ id }) => !now?.has(id));
  const fellSilent = after.filter(
    ({ id, state }) => state === "silent" && former?.has(id) && former.get(id)?.state !== "silent",
  );
  const left = wasSeen ? "left" : "went while the store was not read: left or crashed";
  return [
    ...alike(
      "crash",
      gone.filter(isSilent),
      "was removed: it had been silent, as a process that crashed",
      "were removed: they had been silent",
    ),
    ...alike(
      "leave",
      gone.filter((member) => !isSilent(member)),
      left,
      left,
    ),
    ...alike("silent", fellSilent, "fell silent", "fell silent"),
    ...alike(
      "join",
      after.filter(({ id }) => !former?.has(id)),
      "joined",
      "joined",
    ),
  ];
}

function isSilent({ state }: MemberReport): boolean {
  return state === "silent";
}

/** A mark for each member, or one for all where there are many. */
function alike(what: Mark["what"], members: readonly MemberReport[], one: string, many: string): readonly Event[] {
  if (members.length > MOST_ALIKE) return [[what, `${members.length} members ${many}`]];
  return members.map(({ id }) => [what, `${id} ${one}`]);
}

function limitOf(before: LimiterReport, after: LimiterReport): readonly Event[] {
  const { stored } = after;
  if (stored !== undefined && stored.revision !== before.stored?.revision) return [["limit", storedText(stored)]];
  // The end of a limit that was set for some time is no change of the record.
  if (before.stored?.inForce && stored !== undefined && !stored.inForce)
    return [["limit", "the time of the stored limit is over: the code's value counts again"]];
  const was = new Map(before.limits.map(({ name, max }) => [name, max]));
  const changes = after.limits.flatMap(({ name, max }) => {
    const former = was.get(name);
    if (former === undefined || former === max || followsFrom(stored, name, max)) return [];
    return [`${name}: ${shown(former)} -> ${shown(max)}`];
  });
  return changes.length === 0 ? [] : [["limit", `the limit changed, ${changes.join(", ")}`]];
}

/** A stored limit is in force from the next sync of a process: its change was marked as it was set. */
function followsFrom(stored: LimitRecord | undefined, name: string, max: number): boolean {
  if (!stored?.inForce) return false;
  const values = new Map(Object.entries(stored.values ?? {}));
  return values.has("everyMs") || values.get("max") === max || values.get(name) === max;
}

function storedText({ history, values, inForce }: LimitRecord): string {
  const [last] = history;
  const by = last === undefined ? "" : ` by ${last.by}`;
  const why = last?.why ? `: ${last.why}` : "";
  if (!inForce) return `the stored limit was removed${by}${why}`;
  return `the limit was set to ${valuesText(values ?? {}, last?.from)}${by}${why}`;
}

/** The numbers of a limit, with those of before. */
function valuesText(to: LimitValues, from: LimitValues | undefined): string {
  const was = new Map(Object.entries(from ?? {}));
  return Object.entries(to)
    .map(([name, value]) => {
      const former = was.get(name);
      return `${name} ${shown(value)}${former === undefined || former === value ? "" : ` (was ${shown(former)})`}`;
    })
    .join(", ");
}

function pauseOf(before: LimiterReport | undefined, { pausedForMs }: LimiterReport): readonly Event[] {
  const former = before?.pausedForMs ?? 0;
  if (former === 0 && pausedForMs > 0) return [["pause", `paused for ${(pausedForMs / 1_000).toFixed(1)} s`]];
  return former > 0 && pausedForMs === 0 ? [["pause", "the pause is over"]] : [];
}

function shown(value: number): string {
  return String(Math.round(value * 1_000) / 1_000);
}
