import { type Convergence, ConvergenceTracker } from "../measure/convergence.ts";
import type { Change, RunObserver, WorkerEntry } from "../run-load.ts";

export interface WorkerView {
  readonly worker: number;
  readonly state: "running" | "killed" | "left";
  /** Its share of the current epoch, in tokens. */
  readonly share: number;
  readonly agreed: boolean;
}

/** What is known of a run while it goes on: the state behind the live view. */
export class FleetView implements RunObserver {
  readonly #tracker: ConvergenceTracker;
  readonly #initial: number;
  readonly #workers = new Map<number, WorkerView>();
  #startMs: number | undefined;
  #served = 0;
  #rejected = 0;
  #lastTrouble: string | undefined;

  constructor(workers: number, limit: number) {
    this.#initial = workers;
    this.#tracker = new ConvergenceTracker(limit);
  }

  get startMs(): number | undefined {
    return this.#startMs;
  }

  get workers(): readonly WorkerView[] {
    return [...this.#workers.values()];
  }

  get served(): number {
    return this.#served;
  }

  get rejected(): number {
    return this.#rejected;
  }

  get changes(): readonly Convergence[] {
    return this.#tracker.all;
  }

  /** What went wrong last in a worker, if anything did. */
  get lastTrouble(): string | undefined {
    return this.#lastTrouble;
  }

  onStart(startMs: number): void {
    this.#startMs = startMs;
    this.#tracker.start(startMs, this.#initial);
    for (let worker = 1; worker <= this.#initial; worker++) this.#put({ worker, state: "running" });
  }

  onEntry({ worker, entry }: WorkerEntry): void {
    this.#tracker.entry({ worker, entry });
    if (entry.type === "share") this.#put({ worker, share: entry.tokens, agreed: entry.agreed });
    if (entry.type === "left") this.#put({ worker, state: "left", share: 0 });
    if (entry.type === "trouble") this.#lastTrouble = `worker ${worker}, ${entry.what}: ${entry.message}`;
  }

  onChange(change: Change): void {
    this.#tracker.change(change);
    const states = { join: "running", kill: "killed", leave: "left" } as const;
    this.#put({ worker: change.worker, state: states[change.kind], ...(change.kind === "join" ? {} : { share: 0 }) });
  }

  onCount({ served, rejected }: { readonly served: number; readonly rejected: number }): void {
    this.#served = served;
    this.#rejected = rejected;
  }

  #put(news: Partial<WorkerView> & { readonly worker: number }): void {
    const before = this.#workers.get(news.worker) ?? { state: "running", share: 0, agreed: false };
    this.#workers.set(news.worker, { ...before, ...news });
  }
}
