import type { DtError } from "@dt/core";
import {
  damagedPermits,
  type FreedInstant,
  type InspectablePermitTable,
  isCopy,
  type LimitRecordHead,
  type PermitCopy,
  type PermitCounts,
  type PermitEntry,
  type PermitRow,
  type ResettablePermitTable,
  TERMS_HOLD_MS,
} from "@dt/core/ledger";
import { limitHeadOf } from "../limits/sqlite-limits.ts";
import type { Statements } from "../statements.ts";

/**
 * A key is kept for this long after nothing of it is to come, so that one in use moves its time in the index once a
 * minute at most.
 */
const KEEP_MS = 60_000;

/** Times beyond the year 30,000 are nobody's. */
const MOST_MS = 1e15;

/** A value with nulls for what is absent. */
type Stored<T> = { [Name in keyof T]: undefined extends T[Name] ? T[Name] | null : T[Name] };

/** The copy of the limit record is JSON. */
type StoredRow = Stored<Omit<PermitRow, "stored">> & { readonly stored: string | null };

interface StoredKey extends StoredRow {
  readonly keyId: number;
  readonly keepUntilMs: number;
}

type StoredPermit = Omit<PermitEntry, "tatBeforeMs"> & { readonly tatBeforeMs: number | null };

/** One key's permits in the file, within one transaction. */
export class SqlitePermitTable implements ResettablePermitTable, InspectablePermitTable {
  readonly #statements: Statements;
  readonly #name: string;
  readonly #clockMs: number;
  #keyId: number | undefined;
  #keepUntilMs = 0;
  /** The key's time after which nothing that was written in this transaction matters. */
  #neededMs = 0;

  constructor(statements: Statements, name: string, clockMs: number) {
    this.#statements = statements;
    this.#name = name;
    this.#clockMs = clockMs;
  }

  row(): PermitRow | undefined {
    const stored = this.#statements.selectPermitKey.get(this.#name) as StoredKey | undefined;
    if (!stored) return undefined;
    const { keyId, keepUntilMs, terms, formerTerms, pausedUntilMs, aheadUntilMs, stored: copy, ...times } = stored;
    const maybe = { pausedUntilMs: pausedUntilMs ?? 0, aheadUntilMs: aheadUntilMs ?? 0 };
    this.#checkTimes("permit_keys", { ...times, keepUntilMs, ...maybe });
    this.#keyId = keyId;
    this.#keepUntilMs = keepUntilMs;
    return {
      ...times,
      terms: terms ?? undefined,
      formerTerms: formerTerms ?? undefined,
      pausedUntilMs: pausedUntilMs ?? undefined,
      stored: copy === null ? undefined : this.#copyIn(copy),
      aheadUntilMs: aheadUntilMs ?? undefined,
    };
  }

  /** The arithmetic puts the row last, so that all that is needed of the key is known by then. */
  putRow(row: PermitRow): void {
    const { tatMs, lastMs, offsetMs, terms = null, formerTerms = null, pausedUntilMs = null, stored } = row;
    const boundMs = terms === null && !stored ? 0 : Math.max(tatMs, lastMs) + TERMS_HOLD_MS;
    const neededMs = Math.max(this.#neededMs, tatMs, boundMs, pausedUntilMs ?? 0) - offsetMs;
    if (neededMs > this.#keepUntilMs) this.#keepUntilMs = neededMs + KEEP_MS;
    const copy = stored ? JSON.stringify(stored) : null;
    const maybe = [terms, formerTerms, pausedUntilMs, copy, row.aheadUntilMs ?? null];
    this.#statements.updatePermitKey.run(tatMs, lastMs, offsetMs, this.#keepUntilMs, ...maybe, this.#id());
  }

  limit(): LimitRecordHead | undefined {
    return limitHeadOf(this.#statements, "permits", this.#name);
  }

  entry(id: string): PermitEntry | undefined {
    const stored = this.#statements.selectPermit.get(this.#id(), id) as StoredPermit | undefined;
    if (!stored) return undefined;
    const { id: _, granted, tatBeforeMs, ...times } = stored;
    this.#checkTimes("permits", { ...times, tatBeforeMs: tatBeforeMs ?? 0 });
    if (granted < 0) throw this.#damaged("permits", `granted ${granted}`);
    return { ...stored, tatBeforeMs: tatBeforeMs ?? undefined };
  }

  putEntry(entry: PermitEntry): void {
    this.#needed(entry.forgetAtMs);
    this.#statements.putPermit.run(
      this.#id(),
      entry.id,
      entry.granted,
      entry.firstMs,
      entry.stepMs,
      entry.earliestMs,
      entry.tatBeforeMs ?? null,
      entry.forgetAtMs,
    );
  }

  forgetEntries(nowMs: number): void {
    this.#statements.forgetPermits.run(this.#id(), nowMs);
  }

  takeFreed(fromMs: number, widthMs: number): FreedInstant | undefined {
    this.#statements.forgetFreed.run(this.#id(), fromMs);
    const taken = this.#statements.takeFreed.get(this.#id(), this.#id(), widthMs) as FreedInstant | undefined;
    if (!taken) return undefined;
    this.#checkTimes("freed_permits", { ...taken });
    return { ...taken };
  }

  addFreed({ atMs, widthMs }: FreedInstant): void {
    this.#needed(atMs);
    this.#statements.addFreed.run(this.#id(), atMs, this.#id(), atMs, widthMs);
  }

  aheadInQueue(id: string, nowMs: number): number {
    const found = this.#statements.selectPlace.get(this.#id(), id) as { readonly place: number } | undefined;
    const place = found?.place ?? Number.MAX_SAFE_INTEGER;
    this.#statements.shortenQueue.run(this.#id(), place, nowMs);
    return (this.#statements.countQueue.get(this.#id(), place) as { readonly ahead: number }).ahead;
  }

  enqueue(id: string, untilMs: number): void {
    this.#needed(untilMs);
    this.#statements.enqueue.run(this.#id(), this.#id(), id, untilMs);
  }

  leaveQueue(id: string): void {
    this.#statements.leaveQueue.run(this.#id(), id);
  }

  forgetAfter(untilMs: number): FreedInstant | undefined {
    this.#statements.forgetAllFreed.run(this.#id());
    this.#statements.forgetQueue.run(this.#id());
    this.#statements.forgetPermitsAfter.run(this.#id(), untilMs);
    const left = this.#statements.selectLastPermit.get(this.#id()) as Partial<FreedInstant> & { forgetAtMs?: number };
    if (typeof left.atMs !== "number") return undefined;
    this.#checkTimes("permits", left);
    this.#needed(left.forgetAtMs as number);
    return { atMs: left.atMs, widthMs: left.widthMs as number };
  }

  count(nowMs: number, fromMs: number): PermitCounts {
    return { ...(this.#statements.countPermits.get(this.#id(), nowMs, fromMs) as unknown as PermitCounts) };
  }

  /** Forgets the key, whatever is there. */
  forgetKey(): void {
    this.#statements.forgetPermitKey.run(this.#name);
    this.#keyId = undefined;
  }

  /** Lets those who listen to the key know that instants were given back. */
  noteRelease(): void {
    this.#statements.countRelease.run(this.#name);
  }

  /** @throws DtError `DT_STORE_DATA` */
  #copyIn(text: string): PermitCopy {
    try {
      const copy: unknown = JSON.parse(text);
      if (isCopy("permits", copy) && "burst" in copy.values) return copy as PermitCopy;
    } catch {
      // No JSON.
    }
    throw this.#damaged("permit_keys", `stored ${text.slice(0, 40)}`);
  }

  /** @throws DtError `DT_STORE_DATA` */
  #checkTimes(table: string, times: Readonly<Record<string, number>>): void {
    for (const [name, ms] of Object.entries(times))
      if (!(Math.abs(ms) <= MOST_MS)) throw this.#damaged(table, `${name} ${ms}`);
  }

  #damaged(table: string, fault: string): DtError {
    return damagedPermits(`the row of key ${this.#name} in ${table}`, fault);
  }

  #needed(untilMs: number): void {
    this.#neededMs = Math.max(this.#neededMs, untilMs);
  }

  /** The key's number; a key that is new gets one, and two that nobody uses any more are forgotten. */
  #id(): number {
    if (this.#keyId === undefined) {
      this.#statements.forgetPermitKeys.run(this.#clockMs);
      this.#keyId = (this.#statements.insertPermitKey.get(this.#name) as { readonly keyId: number }).keyId;
    }
    return this.#keyId;
  }
}
