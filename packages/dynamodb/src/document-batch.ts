import {
  type Applied,
  applyCall,
  type Batch,
  DocumentTable,
  type Head,
  type HybridClock,
  hasStored,
  type LedgerCall,
  type Outcome,
  observeRequest,
  type ReadLimit,
  type StoredHead,
  type TimeKeeper,
} from "@dt/cas";
import { type GroupRow, livenessTime } from "@dt/core/ledger";
import type { GroupItems, HeadRevision, StoredLedger } from "./group-items.ts";
import { mendGroup } from "./repair.ts";
import { findGroup } from "./repair-items.ts";

/** A member to be removed, and the number of the heartbeat after which it was silent. */
export interface StaleMember {
  readonly incarnation: string;
  readonly seq: number;
}

/** What a batch works with. */
export interface BatchContext {
  readonly items: GroupItems;
  readonly clock: HybridClock;
  readonly time: TimeKeeper<HeadRevision>;
  /** A text that no other write will ever bear. */
  readonly nextWriter: () => string;
  /** The group's limit record; undefined where there is none. */
  readonly readLimit: () => Promise<ReadLimit | undefined>;
  /** Hears every ledger that is read or written. */
  readonly onLedger: (ledger: StoredLedger) => void;
}

/** What was read. */
export interface GroupState {
  readonly ledger: StoredLedger | undefined;
  readonly head: StoredHead<HeadRevision> | undefined;
  /** The limit record, where a call has `stored`. */
  readonly limit: ReadLimit | undefined;
}

/** Calls applied to what was read, and what is to be written of it. */
export interface DocumentResult extends Applied {
  readonly table: DocumentTable;
  readonly state: GroupState;
  /** True when the ledger is to be written. */
  readonly writesLedger: boolean;
  /** The head to write, if any. */
  readonly head: Head | undefined;
}

/**
 * Calls and removals in one write of the ledger's document, on condition that its version is the one that was read. The
 * head follows in a second write, and may thus be behind for a moment, or, when the writer dies in between, until
 * somebody repairs it: to those who read it, the change then comes a little later.
 */
export class DocumentBatch implements Batch<GroupState, DocumentResult> {
  readonly #context: BatchContext;
  readonly #stale: readonly StaleMember[];
  readonly #readsLimit: boolean;

  /** @param stale members to remove, unless they have come back to life */
  constructor(context: BatchContext, calls: readonly LedgerCall[], stale: readonly StaleMember[]) {
    this.#context = context;
    this.#readsLimit = calls.some(hasStored);
    this.#stale = stale;
  }

  /** What does not belong together is mended first. */
  async read(): Promise<GroupState> {
    const { items, onLedger, readLimit } = this.#context;
    const [first, limit] = await Promise.all([findGroup(items), this.#readsLimit ? readLimit() : undefined]);
    let found = first;
    if (found.faults.length > 0) found = await mendGroup(this.#context, found);
    const { ledger, head } = found;
    if (ledger) onLedger(ledger);
    return { ledger, head, limit };
  }

  apply(calls: readonly LedgerCall[], state: GroupState): DocumentResult {
    const { clock, time } = this.#context;
    const present = time.take(state.head);
    const table = this.#table(state, present);
    const before = table.group();
    if (before) clock.observe(before.lastMs);
    const outcomes = new Map<LedgerCall, Outcome>();
    for (const call of calls) {
      outcomes.set(call, attempt(call, table, clock.now()));
      observeRequest(call, clock);
    }
    const row = table.group();
    const writesLedger =
      row !== undefined && (table.changed || isLearning(row) || calls.some((call) => insists(call, table)));
    const head = row && time.headFor(row, table.birth, present, writesLedger);
    return { table, outcomes, state, writesLedger, head };
  }

  async commit(result: DocumentResult): ReturnType<Batch<GroupState, DocumentResult>["commit"]> {
    const { table, state, writesLedger, head } = result;
    const { items, onLedger, nextWriter } = this.#context;
    const from = state.ledger?.version;
    if (!writesLedger) {
      if (head && from !== undefined) await this.#renewHead(head, from, result);
      return { done: true, recorded: false };
    }
    const ledger = { text: table.encode(), version: (from ?? 0) + 1, writer: nextWriter() };
    if (!(await items.writeLedger(ledger, from, emptyForMs(table)))) {
      const found = await this.read();
      // The client may have sent the write twice: then the second finds what the first has written.
      if (found.ledger?.writer !== ledger.writer) return { done: false, found };
    }
    onLedger(ledger);
    const removed = this.#stale.filter(({ incarnation }) => !table.member(incarnation));
    const cleanUp = removed.map(({ incarnation }) => items.forget(incarnation, "gone").catch(() => false));
    await Promise.all([head && this.#writeHead(head, ledger.version, table), ...cleanUp]);
    return { done: true, recorded: true };
  }

  look(state: GroupState): DocumentTable {
    return this.#table(state, undefined);
  }

  #table({ ledger, limit }: GroupState, present: Head | undefined): DocumentTable {
    const { items, nextWriter } = this.#context;
    const stale = new Map(this.#stale.map(({ incarnation, seq }) => [incarnation, seq]));
    const context = { heardMs: present?.timeMs ?? 0, stale, newBirth: nextWriter(), limit };
    return new DocumentTable(ledger?.text, items.ledgerName, context);
  }

  /** Writes a head for the ledger as it is: the time in it is old, or it is behind. */
  async #renewHead(head: Head, version: number, { state, table }: DocumentResult): Promise<void> {
    const { items, time } = this.#context;
    const seen = state.head?.revision;
    if (seen?.version !== version) await this.#writeHead(head, version, table);
    else if (await items.replaceHead(seen, head)) time.take({ head, revision: { version, timeMs: head.timeMs } });
  }

  async #writeHead(head: Head, version: number, table: DocumentTable): Promise<void> {
    const { items, time } = this.#context;
    const written = await items.writeHead(head, version, emptyForMs(table));
    if (written) time.take({ head, revision: { version, timeMs: head.timeMs } });
  }
}

/**
 * How long what an empty group remembers still counts, in milliseconds: a level that is to be resumed; a pause; and
 * what its members used, which nobody who is new may be given before a stale age is over, which is longer than an
 * interval. Undefined for one with members.
 */
function emptyForMs(table: DocumentTable): number | undefined {
  const row = table.group();
  return row && row.memberCount === 0
    ? Math.max(row.longestStaleMs, table.levelsUntilMs - row.lastMs, row.pausedUntilMs - row.lastMs)
    : undefined;
}

/** Only what is recorded counts as time in which members could claim: a quiet stretch does not (R8). */
function isLearning(row: GroupRow): boolean {
  return livenessTime(row) < row.learnUntilMs;
}

function insists({ record, ref }: LedgerCall, table: DocumentTable): boolean {
  return record !== "news" && table.member(ref.incarnation) !== undefined;
}

function attempt(call: LedgerCall, table: DocumentTable, nowMs: number): Outcome {
  try {
    return { view: applyCall(call, table, nowMs) };
  } catch (error) {
    return { error };
  }
}
