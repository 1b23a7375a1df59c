import { DtError, type Runtime } from "@dt/core";
import { CallCombiner } from "@dt/core/ledger";
import { Batch, type BatchContext, type Outcome } from "./batch.ts";
import { answerUnrecorded, type LedgerCall, PRUNE } from "./calls.ts";
import type { Driver } from "./driver.ts";
import type { RowTable } from "./row-table.ts";

/** Calls and removals in one transaction: etcd takes at most 128 operations, and each of these may need six. */
const MOST_CALLS = 8;
const MOST_CHANGES = 20;
/** The longest pause before another attempt, in milliseconds. */
const LONGEST_PAUSE_MS = 64;

/** What a call came to, and the ledger as it was then. */
export interface Written {
  readonly outcome: Outcome;
  readonly table: RowTable;
  /** False when there was nothing to record, or no chance to: the table then says more than etcd knows. */
  readonly recorded: boolean;
}

interface Job {
  readonly call: LedgerCall;
  readonly stale: readonly string[];
  readonly isOver: () => boolean;
  readonly resolve: (written: Written) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Changes one group's ledger: reads the keys that the calls need, computes, and writes them back on condition that the group's aggregates
 * are still the same, which every change of the ledger writes. Otherwise it begins again with what is there now, after a pause that
 * grows with every failure. Calls of this process that come together are written together.
 */
export class LedgerWriter {
  readonly #driver: Driver;
  readonly #context: BatchContext;
  readonly #runtime: Runtime;
  readonly #timeoutMs: number;
  readonly #combiner = new CallCombiner<Job>((jobs) => this.#run(jobs), MOST_CALLS);

  constructor(driver: Driver, context: BatchContext, runtime: Runtime, timeoutMs: number) {
    this.#driver = driver;
    this.#context = context;
    this.#runtime = runtime;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * @param stale incarnations to remove with it, unless they have come back to life
   * @param isOver true once nobody waits for the call any more: it is not begun then
   */
  write(call: LedgerCall, stale: readonly string[], isOver: () => boolean): Promise<Written> {
    return new Promise((resolve, reject) => this.#combiner.add({ call, stale, isOver, resolve, reject }));
  }

  async #run(all: readonly Job[]): Promise<void> {
    const jobs = new Set(all.filter((job) => !job.isOver()));
    try {
      if (jobs.size > 0) await this.#write(jobs);
    } catch (error) {
      for (const job of jobs) job.reject(error);
    }
  }

  async #write(jobs: Set<Job>): Promise<void> {
    const startMs = this.#runtime.now();
    const stale = [...new Set([...jobs].flatMap((job) => job.stale))];
    const removals = stale.splice(0, MOST_CHANGES - jobs.size);
    // The rest follows by itself: nobody has to wait for it.
    if (stale.length > 0) this.write(PRUNE, stale, () => false).catch(() => undefined);
    const batch = new Batch(
      this.#context,
      [...jobs].map(({ call }) => call),
      removals,
    );
    let entries = await this.#driver.read(batch.keys);
    for (let attempt = 1; jobs.size > 0; attempt++) {
      const calls = [...jobs].map(({ call }) => call);
      let applied = batch.apply(calls, entries);
      while (!applied) {
        entries = await this.#driver.read(batch.keys);
        applied = batch.apply(calls, entries);
      }
      const { transaction, head, table, outcomes } = applied;
      const committed = transaction && (await this.#driver.commit(transaction));
      if (committed?.done && head) this.#context.time.wrote(head, committed.revision);
      if (!committed || committed.done) {
        for (const { call, resolve } of jobs)
          resolve({ outcome: outcomes.get(call) as Outcome, table, recorded: committed !== undefined });
        return;
      }
      entries = committed.found;
      const passedMs = this.#runtime.now() - startMs;
      if (passedMs >= this.#timeoutMs) throw contended(attempt);
      if (passedMs >= this.#timeoutMs / 4) this.#giveUpRecording(jobs, batch.look(entries));
      await this.#pause(attempt);
    }
  }

  /** Answers the reports among the jobs without recording them: the heartbeats were heard, and the next ones bring the same reports again. */
  #giveUpRecording(jobs: Set<Job>, table: RowTable): void {
    for (const job of jobs) {
      const view = answerUnrecorded(job.call, table, this.#context.clock.now());
      if (!view) continue;
      jobs.delete(job);
      job.resolve({ outcome: { view }, table, recorded: false });
    }
  }

  #pause(attempt: number): Promise<void> {
    const delayMs = this.#runtime.random() * Math.min(2 ** attempt, LONGEST_PAUSE_MS);
    return new Promise((resolve) => this.#runtime.setTimer(resolve, delayMs));
  }
}

function contended(attempts: number): DtError {
  return new DtError(
    "DT_STORE_UNAVAILABLE",
    `others changed the group ${attempts} times in a row while this call tried to; nothing was done`,
  );
}
