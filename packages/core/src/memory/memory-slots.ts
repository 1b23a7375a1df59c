import type { SlotHint } from "../contract/demand.ts";
import { byName } from "../ledger/slot-queue.ts";
import type { SlotRow, SlotTable } from "../ledger/slot-table.ts";

/** The queue of one semaphore in memory. Looks are O(members): the rows are few, and in one process. */
export class MemorySlots implements SlotTable {
  readonly #rows = new Map<string, SlotRow>();
  #hints: (readonly [string, SlotHint])[] = [];

  /** Called before each operation. */
  begin(): void {
    this.#hints = [];
  }

  get hints(): readonly (readonly [string, SlotHint])[] {
    return this.#hints;
  }

  slotsOf(incarnation: string): SlotRow | undefined {
    const row = this.#rows.get(incarnation);
    return row && { ...row };
  }

  putSlots(row: SlotRow): void {
    this.#rows.set(row.incarnation, { ...row });
  }

  delete(incarnation: string): void {
    this.#rows.delete(incarnation);
  }

  /** For a repair, which may follow an operation that was half done. */
  clear(): void {
    this.begin();
    this.#rows.clear();
  }

  queued(most: number): readonly SlotRow[] {
    return this.#first(
      [...this.#rows.values()].filter(({ sinceMs }) => sinceMs !== null),
      (a, b) => a.tier - b.tier || (a.sinceMs as number) - (b.sinceMs as number) || byName(a, b),
      most,
    );
  }

  mostHeld(most: number): readonly SlotRow[] {
    return this.#first([...this.#rows.values()], (a, b) => b.held - a.held || byName(a, b), most);
  }

  hint(incarnation: string, hint: SlotHint): void {
    this.#hints.push([incarnation, hint]);
  }

  #first(rows: SlotRow[], order: (a: SlotRow, b: SlotRow) => number, most: number): SlotRow[] {
    return rows
      .sort(order)
      .slice(0, most)
      .map((row) => ({ ...row }));
  }
}
