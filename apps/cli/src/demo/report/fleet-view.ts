import { type Convergence, ConvergenceTracker } from "../measure/convergence.ts";
import type { Arrival, Change, RunObserver, WorkerEntry } from "../record.ts";

/** A worker as it is shown. */
export interface WorkerView {
  readonly state: "running" | "killed" | "left";
  /** What it may use of the current second, in calls. */
  readonly share: number;
}

/** What is known of a fleet while it runs. */
export class FleetView implements RunObserver {
  readonly #tracker: ConvergenceTracker;
  readonly #workers = new Map<number, WorkerView>();
  #startMs: number | undefined;
  #refused = 0;
  /** When the calls of the last second arrived. */
  #recentMs: number[] = [];
  #lastTrouble = "";

  /** @param limit what the shares of the fleet sum to */
  constructor(workers: number, limit: number) {
    this.#tracker = new ConvergenceTracker(limit);
    for (let worker = 1; worker <= workers; worker++) this.#put(worker, {});
  }

  get startMs(): number | undefined {
    return this.#startMs;
  }

  get workers(): ReadonlyMap<number, WorkerView> {
    return this.#workers;
  }

  /** The changes so far, the start first, and how long the shares were not right after each. */
  get changes(): readonly Convergence[] {
    return this.#tracker.all;
  }

  get callsInLastSecond(): number {
    return this.#recentMs.length;
  }

  get refused(): number {
    return this.#refused;
  }

  /** What went wrong last, or "". */
  get lastTrouble(): string {
    return this.#lastTrouble;
  }

  onStart(startMs: number): void {
    this.#startMs = startMs;
    this.#tracker.start(startMs, this.#workers.size);
  }

  onEntry({ worker, entry }: WorkerEntry): void {
    this.#tracker.entry({ worker, entry });
    if (entry.type === "share") this.#put(worker, { share: entry.tokens });
    if (entry.type === "trouble") this.#lastTrouble = `process ${worker}, ${entry.what}: ${entry.message}`;
  }

  onChange(change: Change): void {
    this.#tracker.change(change);
    if (change.kind === "join") this.#put(change.worker, {});
    else this.#put(change.worker, { state: change.kind === "kill" ? "killed" : "left", share: 0 });
  }

  onArrivals(arrivals: readonly Arrival[]): void {
    this.#refused += arrivals.filter(({ served }) => !served).length;
    this.#recentMs.push(...arrivals.map(({ atMs }) => atMs));
    const sinceMs = (this.#recentMs.at(-1) ?? 0) - 1_000;
    this.#recentMs = this.#recentMs.filter((atMs) => atMs > sinceMs);
  }

  #put(worker: number, news: Partial<WorkerView>): void {
    this.#workers.set(worker, { state: "running", share: 0, ...this.#workers.get(worker), ...news });
  }
}
