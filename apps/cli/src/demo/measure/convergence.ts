import type { Change, RunRecord, ShareEntry, WorkerEntry } from "../record.ts";

/** A change and how long the shares were not right after it. */
export interface Convergence {
  readonly kind: Change["kind"] | "start";
  /** The worker that joined, was killed or left; undefined for the start. */
  readonly worker: number | undefined;
  readonly atMs: number;
  /** From the change until the shares were right; undefined when they were not before the next change or the end. */
  readonly tookMs: number | undefined;
}

/**
 * Follows the shares as the workers report them. They are right when every live worker knows the present membership
 * and their shares of one epoch sum to exactly the whole limit: evenly, and by demand, where members never agree.
 */
export class ConvergenceTracker {
  readonly #limit: number;
  readonly #live = new Set<number>();
  readonly #shares = new Map<number, ShareEntry>();
  readonly #all: Convergence[] = [];

  /** `limit` is the sum to reach, in tokens per epoch. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The changes so far, the start first, each with what is known of its convergence by now. */
  get all(): readonly Convergence[] {
    return this.#all;
  }

  start(atMs: number, workers: number): void {
    for (let worker = 1; worker <= workers; worker++) this.#live.add(worker);
    this.#all.push({ kind: "start", worker: undefined, atMs, tookMs: undefined });
  }

  change({ kind, worker, atMs }: Change): void {
    if (kind === "join") this.#live.add(worker);
    else this.#live.delete(worker);
    this.#all.push({ kind, worker, atMs, tookMs: undefined });
  }

  /** Entries must come in order of time, among themselves and with the changes. */
  entry({ worker, entry }: WorkerEntry): void {
    if (entry.type !== "share") return;
    this.#shares.set(worker, entry);
    const last = this.#all.at(-1);
    if (last?.tookMs === undefined && last !== undefined && this.#right(entry.epoch))
      this.#all[this.#all.length - 1] = { ...last, tookMs: entry.atMs - last.atMs };
  }

  #right(epoch: number): boolean {
    const shares = [...this.#live].map((worker) => this.#shares.get(worker));
    const generation = shares[0]?.generation;
    let sum = 0;
    for (const share of shares) {
      if (share?.epoch !== epoch || share.generation !== generation) return false;
      if (share.members !== this.#live.size) return false;
      sum += share.tokens;
    }
    return sum === this.#limit;
  }
}

/** The convergence of a whole run. */
export function convergenceOf(
  run: Pick<RunRecord, "startMs" | "changes" | "entries">,
  workers: number,
  limit: number,
): readonly Convergence[] {
  const tracker = new ConvergenceTracker(limit);
  tracker.start(run.startMs, workers);
  let next = 0;
  for (const one of run.entries) {
    for (let change = run.changes[next]; change && change.atMs <= one.entry.atMs; change = run.changes[++next])
      tracker.change(change);
    tracker.entry(one);
  }
  for (const change of run.changes.slice(next)) tracker.change(change);
  return tracker.all;
}
