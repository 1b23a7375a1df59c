/**
 * What a worker writes down as it happens, one JSON line each. Times of the machine are milliseconds on its monotonic
 * clock, the same in all processes.
 */
export type Entry =
  | {
      readonly type: "answered";
      readonly id: string;
      /** On the store's clock. */
      readonly instantsMs: readonly number[];
      readonly storeTimeMs: number;
      /** By the formula of P4, in permits. */
      readonly reservedAhead: number;
      readonly sentMs: number;
      readonly receivedMs: number;
    }
  /** A call of the store failed. */
  | { readonly type: "failed"; readonly error: string }
  /** All but the first `keep` instants were given back; written before the call is made. */
  | { readonly type: "gave-back"; readonly id: string; readonly keep: number }
  | { readonly type: "entered"; readonly call: number; readonly atMs: number; readonly timeoutMs: number }
  | {
      readonly type: "settled";
      readonly call: number;
      readonly atMs: number;
      readonly outcome: Outcome;
      /** With a permit: what the pacer's clock showed when it last read it before it gave the permit out. */
      readonly decidedMs?: number | undefined;
      /** With a permit: how long after its instant, as the pacer says. */
      readonly lateMs?: number | undefined;
    }
  /** The pacer and the store are closed. */
  | { readonly type: "closed"; readonly wasted: number };

/** `granted`: the permit was used. Otherwise what the call was answered: `none`, or an error's code. */
export type Outcome = string;

/** One worker's log, and what it knew of its own fate. */
export interface WorkerLog {
  readonly worker: number;
  readonly entries: readonly Entry[];
  /** It was killed: what it had reserved is nobody's. */
  readonly killed: boolean;
  /** It ended by itself after it closed everything: no timer and no connection was left. */
  readonly ended: boolean;
  /** Spans of machine time in which it stood still. */
  readonly stoppedMs: readonly (readonly [number, number])[];
}

/** Lines of a log. A killed worker may leave half a line at the end; that one is not counted. */
export function parseLog(text: string): Entry[] {
  const lines = text.split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Entry);
}

/** The instants that a worker was told of and did not give back, in order. */
export function keptInstants({ entries }: WorkerLog): number[] {
  const keep = new Map<string, number>();
  const instants = new Map<string, readonly number[]>();
  for (const entry of entries) {
    if (entry.type === "gave-back") keep.set(entry.id, Math.min(entry.keep, keep.get(entry.id) ?? entry.keep));
    if (entry.type === "answered" && entry.instantsMs.length > 0) instants.set(entry.id, entry.instantsMs);
  }
  return [...instants].flatMap(([id, list]) => list.slice(0, keep.get(id) ?? list.length)).sort((a, b) => a - b);
}

type Settled = Extract<Entry, { readonly type: "settled" }>;

/** The calls of a worker that were given a permit, in order. */
export function grantsOf({ entries }: WorkerLog): Settled[] {
  return entries.filter((entry): entry is Settled => entry.type === "settled" && entry.outcome === "granted");
}
