import { type Entry, grantsOf, keptInstants, type WorkerLog } from "./log.ts";
import type { PacerSettings } from "./settings.ts";
import { StoreTime } from "./store-time.ts";

/** What came of a run; all is well when there are no violations. */
export interface Judgement {
  readonly violations: readonly string[];
  readonly used: number;
  readonly wasted: number;
  /** By worker: how its calls were answered. */
  readonly outcomes: readonly Readonly<Record<string, number>>[];
  /** The least distance between two instants that were kept. */
  readonly closestMs: number;
  /** From an instant to its use, at the least and at the most, on the store's clock; absent where that is not known. */
  readonly latenessMs?: readonly [number, number];
}

/** What the run was like. */
export interface Circumstances {
  /** When nothing was wrong (any more). */
  readonly calmFromMs: number;
  readonly calmUntilMs: number;
  /** The worker that came only after everybody had left. */
  readonly newcomer?: number;
  /**
   * The key's clock is made of the processes' and cannot be told from outside: whether a use was early or late is not
   * judged, only whose it was.
   */
  readonly hybridClock: boolean;
}

/** A store's clock may show whole milliseconds (SQLite's does), and runs a little apart from the machine's. */
const CLOCK_MS = 1.5;
/** A timer or an answer may be so late on a busy machine before it counts as a hang. */
const SLOW_MS = 1_000;

/** Judges a run by what its workers wrote down; knows nothing of how a pacer works. */
export function judge(logs: readonly WorkerLog[], pacer: PacerSettings, circumstances: Circumstances): Judgement {
  const violations: string[] = [];
  const time = new StoreTime(logs);
  const kept = logs.map((log) => keptInstants(log));
  const lateness: number[] = [];
  for (const [i, log] of logs.entries()) {
    const who = `worker ${log.worker}`;
    const grants = grantsOf(log);
    const uses = grants.map(({ atMs }) => atMs);
    const free = [...(kept[i] as number[])];
    // By when it was decided: on a busy machine the caller runs later.
    for (const { atMs: usedMs, decidedMs: atMs = usedMs } of grants) {
      const place = free.findIndex(
        (instantMs) =>
          circumstances.hybridClock ||
          (time.latest(atMs) >= instantMs - CLOCK_MS && time.earliest(atMs) <= instantMs + pacer.permitTtl + CLOCK_MS),
      );
      const [instantMs] = place < 0 ? [] : free.splice(place, 1);
      if (instantMs === undefined)
        violations.push(
          `${who} used a permit that was not its own, not yet due or too old; ${ages(free, time.latest(atMs))}`,
        );
      else lateness.push(time.latest(atMs) - instantMs);
    }
    const closed = log.entries.find((entry) => entry.type === "closed");
    if (!log.killed && !log.ended) violations.push(`${who} did not end by itself`);
    if (!log.killed && closed && free.length !== closed.wasted)
      violations.push(`${who} kept ${free.length} permits that it did not use, and calls ${closed.wasted} wasted`);
    violations.push(...hangs(log), ...beyondBound(log, pacer).map((text) => `${who} ${text}`));
    const calm = uses.filter((atMs) => circumstances.calmFromMs <= atMs && atMs <= circumstances.calmUntilMs);
    if (!log.killed && log.worker !== circumstances.newcomer && calm.length === 0)
      violations.push(`${who} had no permit after the faults were over`);
    if (log.worker === circumstances.newcomer && uses.length === 0)
      violations.push("a newcomer had no permit after everybody had left");
  }
  const all = kept.flat().sort((a, b) => a - b);
  const gaps = all.slice(1).map((instantMs, i) => instantMs - (all[i] as number));
  const close = gaps.filter((gap) => gap < pacer.every - 0.01);
  if (close.length > 0)
    violations.push(`${close.length} permits were closer than ${pacer.every} ms: ${close.slice(0, 5)}`);
  return {
    violations,
    used: lateness.length,
    wasted: logs.reduce(
      (sum, { entries }) => sum + entries.reduce((n, entry) => n + (entry.type === "closed" ? entry.wasted : 0), 0),
      0,
    ),
    outcomes: logs.map(({ entries }) => tally(entries)),
    closestMs: Math.min(...gaps),
    ...(circumstances.hybridClock ? {} : { latenessMs: [Math.min(...lateness), Math.max(...lateness)] as const }),
  };
}

/** What else there was, for the message. */
function ages(instantsMs: readonly number[], nowMs: number): string {
  const list = instantsMs.map((instantMs) => nowMs - instantMs).filter((age) => Math.abs(age) < 5_000);
  return `left were instants ${list.map((age) => age.toFixed(1)).join(", ") || "none"} ms ago`;
}

/** For how long it was made to stand still. */
function stillMs({ stoppedMs }: WorkerLog): number {
  return stoppedMs.reduce((sum, [from, until]) => sum + (until - from), 0);
}

function hangs(log: WorkerLog): string[] {
  const { worker, entries, killed } = log;
  const settled = new Map(entries.flatMap((entry) => (entry.type === "settled" ? [[entry.call, entry.atMs]] : [])));
  return entries.flatMap((entry) => {
    if (entry.type !== "entered") return [];
    const byMs = entry.atMs + entry.timeoutMs + stillMs(log) + SLOW_MS;
    const atMs = settled.get(entry.call);
    if (atMs === undefined ? killed : atMs <= byMs) return [];
    return [
      `worker ${worker}: call ${entry.call} was ${atMs === undefined ? "never settled" : `settled ${atMs - byMs} ms late`}`,
    ];
  });
}

function beyondBound({ entries }: WorkerLog, { maxReserved, every }: PacerSettings): string[] {
  return entries.flatMap((entry) => {
    if (entry.type !== "answered") return [];
    const aheadMs = Math.max(...entry.instantsMs) - entry.storeTimeMs;
    if (aheadMs > (maxReserved + 1) * every + 0.01) return [`reserved ${aheadMs} ms ahead`];
    const { reservedAhead } = entry;
    return reservedAhead > maxReserved
      ? [`was told of ${reservedAhead} permits reserved ahead; the bound is ${maxReserved}`]
      : [];
  });
}

function tally(entries: readonly Entry[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const entry of entries) if (entry.type === "settled") counts[entry.outcome] = (counts[entry.outcome] ?? 0) + 1;
  return counts;
}
