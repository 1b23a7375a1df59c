import type { Runtime, View } from "@dt/core";
import type { LedgerTable } from "@dt/core/ledger";
import { contended, givenUp, pauseAfter } from "./backoff.ts";
import { CallCombiner } from "./call-combiner.ts";
import { answerUnrecorded, type LedgerCall, PRUNE } from "./calls.ts";
import type { HybridClock } from "./hybrid-clock.ts";

/** What a call came to: an answer (a farewell has none), or an error of its own. */
export type Outcome = { readonly view: View | undefined } | { readonly error: unknown };

/** Calls applied to the ledger as it was read. */
export interface Applied {
  readonly table: LedgerTable;
  readonly outcomes: ReadonlyMap<LedgerCall, Outcome>;
}

/** Some calls and removals that are written together, and one way to read, apply and write them. */
export interface Batch<State, Result extends Applied> {
  read(): Promise<State>;
  /** Applies the calls to what was read; undefined when more must be read first. Changes nothing but the result. */
  apply(calls: readonly LedgerCall[], state: State): Result | undefined;
  /**
   * Records the result if the ledger is still as it was read; otherwise gives what is there now. `recorded` is false
   * when there was nothing to record.
   */
  commit(
    result: Result,
  ): Promise<{ readonly done: true; readonly recorded: boolean } | { readonly done: false; readonly found: State }>;
  /** The ledger as it was read. */
  look(state: State): LedgerTable;
}

/** What a call came to, and the ledger as it was then. */
export interface Written<Table = LedgerTable> {
  readonly outcome: Outcome;
  readonly table: Table;
  /** False when there was nothing to record, or no chance to: the table then has more than the store. */
  readonly recorded: boolean;
}

/** What a {@link LedgerWriter} works with. */
export interface LedgerWriterOptions<State, Result extends Applied, Stale> {
  readonly runtime: Runtime;
  readonly clock: HybridClock;
  readonly timeoutMs: number;
  /** Most calls and removals in one batch. */
  readonly mostCalls: number;
  readonly mostChanges: number;
  /** @param stale members to remove, unless they have come back to life */
  readonly begin: (calls: readonly LedgerCall[], stale: readonly Stale[]) => Batch<State, Result>;
}

interface Job<Stale, Table> {
  readonly call: LedgerCall;
  readonly stale: readonly Stale[];
  readonly isOver: () => boolean;
  readonly resolve: (written: Written<Table>) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Changes one group's ledger by compare-and-swap: reads, computes, and writes on condition that nothing has changed.
 * Otherwise it begins again, after a pause that grows with every failure. Calls of this process that come together are
 * written together.
 */
export class LedgerWriter<State, Result extends Applied, Stale> {
  readonly #options: LedgerWriterOptions<State, Result, Stale>;
  readonly #combiner: CallCombiner<Job<Stale, Result["table"]>>;

  constructor(options: LedgerWriterOptions<State, Result, Stale>) {
    this.#options = options;
    this.#combiner = new CallCombiner((jobs) => this.#run(jobs), options.mostCalls);
  }

  /**
   * @param stale members to remove with it, unless they have come back to life
   * @param isOver true once no caller waits for the call: it is not begun then
   */
  write(call: LedgerCall, stale: readonly Stale[], isOver: () => boolean): Promise<Written<Result["table"]>> {
    return new Promise((resolve, reject) => this.#combiner.add({ call, stale, isOver, resolve, reject }));
  }

  async #run(all: readonly Job<Stale, Result["table"]>[]): Promise<void> {
    const jobs = new Set(all.filter((job) => !job.isOver()));
    // For those who count the calls under way.
    for (const job of all) if (!jobs.has(job)) job.reject(givenUp("the group"));
    try {
      if (jobs.size > 0) await this.#write(jobs);
    } catch (error) {
      for (const job of jobs) job.reject(error);
    }
  }

  async #write(jobs: Set<Job<Stale, Result["table"]>>): Promise<void> {
    const { runtime, timeoutMs, mostChanges, begin } = this.#options;
    const startMs = runtime.now();
    const stale = [...new Set([...jobs].flatMap((job) => job.stale))];
    const removals = stale.splice(0, mostChanges - jobs.size);
    // The rest follows by itself: nobody has to wait for it.
    if (stale.length > 0) this.write(PRUNE, stale, () => false).catch(() => undefined);
    const batch = begin(callsOf(jobs), removals);
    let state = await batch.read();
    let attemptMs = runtime.now();
    for (let attempt = 1; jobs.size > 0; attempt++) {
      const calls = callsOf(jobs);
      let result = batch.apply(calls, state);
      while (!result) {
        state = await batch.read();
        result = batch.apply(calls, state);
      }
      const committed = await batch.commit(result);
      if (committed.done) {
        const { table, outcomes } = result;
        for (const { call, resolve } of jobs)
          resolve({ outcome: outcomes.get(call) as Outcome, table, recorded: committed.recorded });
        return;
      }
      state = committed.found as Awaited<State>;
      const nowMs = runtime.now();
      if (nowMs - startMs >= timeoutMs) throw contended("the group", attempt);
      if (nowMs - startMs >= timeoutMs / 2) this.#giveUpRecording(jobs, batch.look(state));
      // The first time it was chance; from then on others are at it, too.
      if (attempt === 1) continue;
      await pauseAfter(attempt, nowMs - attemptMs, runtime);
      attemptMs = runtime.now();
      // What was found is old by now, and an attempt with it would fail.
      state = await batch.read();
    }
  }

  /**
   * Answers the reports among the jobs without recording them: the heartbeats were heard, and the next ones bring the
   * same reports again.
   */
  #giveUpRecording(jobs: Set<Job<Stale, Result["table"]>>, table: Result["table"]): void {
    for (const job of jobs) {
      const view = answerUnrecorded(job.call, table, this.#options.clock.now());
      if (!view) continue;
      jobs.delete(job);
      job.resolve({ outcome: { view }, table, recorded: false });
    }
  }
}

function callsOf(jobs: ReadonlySet<{ readonly call: LedgerCall }>): readonly LedgerCall[] {
  return [...jobs].map(({ call }) => call);
}
