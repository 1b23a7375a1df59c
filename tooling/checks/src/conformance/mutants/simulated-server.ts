import type { StoreFaults } from "@dt/conformance";
import { DtError, type Runtime } from "@dt/core";
import type { LimitRecordRow } from "@dt/core/ledger";
import type { HintEvents, Topic } from "@dt/core/store";
import { PlainTable } from "./plain-table.ts";
import type { PlainBucketTable, PlainBudgetTable, PlainPermitTable } from "./suite-internals.ts";

/**
 * What a store talks to: groups and keys on one clock, which can be paused, killed and restarted. Requests take a
 * little while to arrive.
 */
export class SimulatedServer {
  readonly runtime: Runtime;
  readonly faults: StoreFaults;
  /** Every client that listens. */
  readonly links = new Set<HintEvents>();
  readonly permits = new Map<string, PlainPermitTable>();
  /** Keys whose data is not readable any more. */
  readonly damagedPermits = new Set<string>();
  readonly budgets = new Map<string, PlainBudgetTable>();
  /** Budgets whose data is not readable any more. */
  readonly damagedBudgets = new Set<string>();
  readonly buckets = new Map<string, PlainBucketTable>();
  /** Buckets whose data is not readable any more. */
  readonly damagedBuckets = new Set<string>();
  /** The records of stored limits. */
  readonly limits = new Map<string, LimitRecordRow>();
  trips = 0;
  clients = 0;
  /** Counts the times that the server was killed: what a transaction of an earlier one had not committed is lost. */
  boots = 0;
  /** Since when nothing was lost, on the server's clock. */
  dataSinceMs: number;
  /** When it was first started. */
  readonly begunMs: number;
  /** What of a group is on the disk, where that is less than what was committed. */
  readonly saved = new Map<PlainTable, PlainTable>();
  readonly #Table: new () => PlainTable;
  readonly #tables = new Map<string, PlainTable>();
  readonly #locks = new Map<PlainTable, (() => void)[]>();
  #shiftMs = 0;
  #killed = false;
  #resumed: Promise<void> | undefined;
  #resume: () => void = () => {};

  constructor(runtime: Runtime, Table: new () => PlainTable = PlainTable) {
    this.runtime = runtime;
    this.#Table = Table;
    this.begunMs = this.now();
    this.dataSinceMs = this.begunMs;
    const pause = async (): Promise<void> => {
      this.#resumed ??= new Promise((resolve) => {
        this.#resume = resolve;
      });
    };
    const resume = async (): Promise<void> => {
      this.#resumed = undefined;
      this.#resume();
    };
    this.faults = {
      pause,
      resume,
      partition: pause,
      heal: resume,
      kill: async () => {
        this.#killed = true;
        this.boots += 1;
        this.#locks.clear();
        for (const [table, saved] of this.saved) table.become(saved);
        this.saved.clear();
        for (const { onLost } of this.links) onLost();
      },
      restart: async ({ keepData }) => {
        if (!keepData) {
          this.#tables.clear();
          this.permits.clear();
          this.budgets.clear();
          this.buckets.clear();
          this.limits.clear();
          this.dataSinceMs = this.now();
        }
        this.#killed = false;
      },
      shiftClock: async (byMs) => {
        this.#shiftMs += byMs;
      },
    };
  }

  /**
   * Brings a request to the server: at once or, when the server is paused, later, whether or not the caller still
   * waits.
   */
  async reach(requests = 1): Promise<void> {
    await new Promise<void>((resolve) => this.runtime.setTimer(resolve, 0.1 + this.runtime.random()));
    await this.#resumed;
    this.trips += requests;
    if (this.#killed) throw new DtError("DT_STORE_UNAVAILABLE", "the server is down");
  }

  /** The server's clock: a wall clock, which can be set. */
  now(): number {
    return 1_700_000_000_000 + this.runtime.now() + this.#shiftMs;
  }

  table(key: string): PlainTable {
    const table = this.#tables.get(key) ?? new this.#Table();
    this.#tables.set(key, table);
    return table;
  }

  /** The groups that somebody has registered in, whether or not anybody is left. */
  groups(): readonly string[] {
    return [...this.#tables].filter(([, { row }]) => row).map(([name]) => name);
  }

  /** Waits for a group's lock; resolves with what gives it to the next. */
  async lock(table: PlainTable, unfair: boolean): Promise<() => void> {
    const boot = this.boots;
    const waiting = this.#locks.get(table);
    if (waiting) await new Promise<void>((resolve) => waiting.push(resolve));
    else this.#locks.set(table, []);
    return () => {
      if (boot !== this.boots) return;
      const others = this.#locks.get(table) as (() => void)[];
      const [next] = others.splice(unfair ? Math.floor(this.runtime.random() * others.length) : 0, 1);
      if (next) next();
      else this.#locks.delete(table);
    };
  }

  notify(topic: Topic, text?: string): void {
    for (const { onHint } of this.links) onHint(topic, text);
  }
}
