import {
  type FreedInstant,
  type InspectablePermitTable,
  instantOf,
  type LimitRecordHead,
  type PermitCounts,
  type PermitEntry,
  type PermitRow,
  type ResettablePermitTable,
} from "@dt/core/ledger";

/** One key, kept as plainly as can be: the sequential specification's state, and what a mutant overrides. */
export class PlainPermitTable implements ResettablePermitTable, InspectablePermitTable {
  key: PermitRow | undefined;
  /** The record of its limit. */
  record: LimitRecordHead | undefined;
  entries = new Map<string, PermitEntry>();
  /** In order of time. */
  freed: readonly FreedInstant[] = [];
  /** In order of arrival. */
  queue = new Map<string, number>();

  row(): PermitRow | undefined {
    return this.key && { ...this.key };
  }

  putRow(row: PermitRow): void {
    this.key = { ...row };
  }

  entry(id: string): PermitEntry | undefined {
    return this.entries.get(id);
  }

  putEntry(entry: PermitEntry): void {
    this.entries.set(entry.id, entry);
  }

  forgetEntries(nowMs: number): void {
    for (const [id, entry] of this.entries) if (entry.forgetAtMs <= nowMs) this.entries.delete(id);
  }

  takeFreed(fromMs: number, widthMs: number): FreedInstant | undefined {
    this.freed = this.freed.filter(({ atMs }) => atMs >= fromMs);
    const taken = this.freed.find((instant) => instant.widthMs >= widthMs);
    this.freed = this.freed.filter((instant) => instant !== taken);
    return taken;
  }

  addFreed(instant: FreedInstant): void {
    this.freed = [...this.freed, instant].sort((a, b) => a.atMs - b.atMs);
  }

  aheadInQueue(id: string, nowMs: number): number {
    let ahead = 0;
    for (const [other, untilMs] of this.queue) {
      if (other === id) return ahead;
      if (untilMs <= nowMs) this.queue.delete(other);
      else ahead += 1;
    }
    return ahead;
  }

  enqueue(id: string, untilMs: number): void {
    this.queue.set(id, untilMs);
  }

  leaveQueue(id: string): void {
    this.queue.delete(id);
  }

  forgetAfter(untilMs: number): FreedInstant | undefined {
    this.queue.clear();
    this.freed = [];
    const lastOf = (entry: PermitEntry): number => instantOf(entry, entry.granted - 1);
    for (const [id, entry] of this.entries) if (entry.granted > 0 && lastOf(entry) > untilMs) this.entries.delete(id);
    const left = [...this.entries.values()].filter(({ granted }) => granted > 0);
    if (left.length === 0) return undefined;
    return { atMs: Math.max(...left.map(lastOf)), widthMs: Math.min(...left.map(({ stepMs }) => stepMs)) };
  }

  count(nowMs: number, fromMs: number): PermitCounts {
    return {
      known: [...this.entries.values()].filter(({ forgetAtMs }) => forgetAtMs > nowMs).length,
      freed: this.freed.filter(({ atMs }) => atMs >= fromMs).length,
      waiting: [...this.queue.values()].filter((untilMs) => untilMs > nowMs).length,
    };
  }

  limit(): LimitRecordHead | undefined {
    return this.record;
  }

  /** Takes over the content of another table. */
  become(other: PlainPermitTable): void {
    this.key = other.row();
    this.record = other.record;
    this.entries = new Map(other.entries);
    this.freed = other.freed;
    this.queue = new Map(other.queue);
  }

  clone(): PlainPermitTable {
    const copy = new PlainPermitTable();
    copy.become(this);
    return copy;
  }
}
