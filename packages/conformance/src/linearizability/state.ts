import type { PermitEntry } from "@dt/core/ledger";
import { PlainPermitTable } from "../permits/plain-permit-table.ts";

/** Odd constants of the two sums; any would do. */
const FACTORS = [0x01000193, 0x85ebca6b] as const;

/** A key's state in the search: it knows its own fingerprint without going through all of its entries. */
export class State extends PlainPermitTable {
  /** Two independent sums over the entries, of 32 bits each: the same for the same entries in any order. */
  #sums: readonly [number, number] = [0, 0];

  override putEntry(entry: PermitEntry): void {
    const before = this.entries.get(entry.id);
    if (before) this.#add(before, -1);
    this.#add(entry, 1);
    super.putEntry(entry);
  }

  override forgetEntries(nowMs: number): void {
    for (const entry of this.entries.values()) if (entry.forgetAtMs <= nowMs) this.#add(entry, -1);
    super.forgetEntries(nowMs);
  }

  override clone(): State {
    const copy = new State();
    copy.become(this);
    copy.#sums = this.#sums;
    return copy;
  }

  /** The same text for the same content. */
  fingerprint(): string {
    const { key, freed, queue } = this;
    const parts = [key?.tatMs, key?.lastMs, key?.offsetMs, key?.pausedUntilMs, ...this.#sums];
    for (const { atMs, widthMs } of freed) parts.push(atMs, widthMs);
    return `${parts.join(" ")} ${queue.size === 0 ? "" : JSON.stringify([...queue])}`;
  }

  #add({ id, granted, firstMs }: PermitEntry, sign: 1 | -1): void {
    const text = `${id} ${granted} ${firstMs}`;
    this.#sums = [
      (this.#sums[0] + sign * hash(text, FACTORS[0])) | 0,
      (this.#sums[1] + sign * hash(text, FACTORS[1])) | 0,
    ];
  }
}

function hash(text: string, factor: number): number {
  let value = factor;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), factor);
  return (value ^ (value >>> 15)) | 0;
}
