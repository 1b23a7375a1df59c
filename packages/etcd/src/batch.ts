import type { View } from "@dt/core";
import type { HybridClock } from "@dt/core/ledger";
import { applyCall, keysOf, type LedgerCall } from "./calls.ts";
import { Cells, NotRead } from "./cells.ts";
import { ABSENT, type Entries, type Transaction } from "./driver.ts";
import { encodeHead, type Head, lagLimitMs, sameLedger } from "./head.ts";
import type { GroupKeys } from "./keys.ts";
import { RowTable } from "./row-table.ts";
import type { TimeKeeper } from "./time-keeper.ts";

/** What a batch works with. */
export interface BatchContext {
  readonly keys: GroupKeys;
  readonly clock: HybridClock;
  readonly time: TimeKeeper;
}

/** What a call came to: an answer (a farewell has none), or an error of its own. */
export type Outcome = { readonly view: View | undefined } | { readonly error: unknown };

/** Calls applied to the ledger as it was read. */
export interface Applied {
  readonly table: RowTable;
  readonly outcomes: ReadonlyMap<LedgerCall, Outcome>;
  /** What records it; undefined when there is nothing to record. */
  readonly transaction: Transaction | undefined;
  /** The head that the transaction writes, if it does. */
  readonly head: Head | undefined;
}

/** Some calls and removals that are written together. */
export class Batch {
  /** The keys that are read; grows as more turn out to be needed. */
  readonly keys: Set<string>;
  readonly #context: BatchContext;
  readonly #stale: readonly string[];

  /** @param stale incarnations to remove, unless they have come back to life */
  constructor(context: BatchContext, calls: readonly LedgerCall[], stale: readonly string[]) {
    const { keys, time } = context;
    this.#context = context;
    this.#stale = stale;
    const size = time.head?.poolSize ?? 0;
    // A member that goes is replaced in its rank by the last one.
    const leaving = stale.length + calls.filter(({ kind }) => kind === "deregister").length;
    this.keys = new Set([
      keys.head,
      keys.group,
      ...calls.flatMap((call) => keysOf(call, keys)),
      ...stale.flatMap((incarnation) => [keys.memberOf(incarnation), keys.aliveOf(incarnation)]),
      ...Array.from({ length: Math.min(leaving, size) }, (_, i) => keys.rankOf(size - 1 - i)),
    ]);
  }

  /** The ledger as it was read. */
  look(entries: Entries): RowTable {
    return new RowTable(this.#context.keys, new Cells(this.keys, entries), []);
  }

  /** The calls applied to what was read; undefined when more must be read first: {@link keys} has grown then. */
  apply(calls: readonly LedgerCall[], entries: Entries): Applied | undefined {
    try {
      return this.#apply(calls, entries);
    } catch (error) {
      if (!(error instanceof NotRead)) throw error;
      this.#foresee(error.key, entries);
      return undefined;
    }
  }

  #apply(calls: readonly LedgerCall[], entries: Entries): Applied {
    const { keys, clock, time } = this.#context;
    const head = time.take(entries.get(keys.head));
    const cells = new Cells(this.keys, entries);
    const table = new RowTable(keys, cells, this.#stale);
    const row = table.group();
    if (row) clock.observe(row.lastMs);
    const outcomes = new Map<LedgerCall, Outcome>();
    for (const call of calls) outcomes.set(call, attempt(call, table, clock.now()));
    const next = this.#nextHead(table, head);
    const { puts, deletes } = cells.writes();
    if (!table.changed && !next && !calls.some(({ insists }) => insists))
      return { table, outcomes, transaction: undefined, head: undefined };
    const revisionOf = (key: string): [string, string] => [key, entries.get(key)?.revision ?? ABSENT];
    const removed = this.#stale.filter((incarnation) => entries.has(keys.memberOf(incarnation)));
    const unchanged = new Map([revisionOf(keys.group), ...removed.map(keys.aliveOf).map(revisionOf)]);
    if (!next)
      return { table, outcomes, head: undefined, transaction: { unchanged, puts, deletes, otherwise: this.keys } };
    unchanged.set(...revisionOf(keys.head));
    const all = [...puts, { key: keys.head, value: encodeHead(next) }];
    return { table, outcomes, head: next, transaction: { unchanged, puts: all, deletes, otherwise: this.keys } };
  }

  #foresee(missing: string, entries: Entries): void {
    const { keys } = this.#context;
    this.keys.add(missing);
    // Whoever is named will be looked at too.
    for (const key of this.keys) {
      const named = keys.isName(key) ? entries.get(key)?.value : undefined;
      if (named !== undefined) this.keys.add(keys.memberOf(named));
    }
  }

  /** The head that goes with the ledger; undefined when the present one still does. */
  #nextHead(table: RowTable, head: Head | undefined): Head | undefined {
    const { time, clock } = this.#context;
    const row = table.group();
    if (!row) return undefined;
    const next = time.renewed({
      generation: row.generation,
      agreed: row.poolSize > 0 && row.adopted === row.poolSize && row.lastMs >= row.learnUntilMs,
      poolSize: row.poolSize,
      keeper: head?.keeper ?? "",
      keptMs: head?.keptMs ?? 0,
      intervalMs: row.intervalMs,
      quietLimitMs: row.quietLimitMs,
    });
    if (!head || !sameLedger(head, next) || time.isNeglected(head)) return next;
    // Not needed yet, but it costs no request of its own now.
    return table.changed && clock.now() - head.timeMs > lagLimitMs(head) / 2 ? next : undefined;
  }
}

function attempt(call: LedgerCall, table: RowTable, nowMs: number): Outcome {
  try {
    return { view: applyCall(call, table, nowMs) };
  } catch (error) {
    if (error instanceof NotRead) throw error;
    return { error };
  }
}
