import type { SlotHint } from "@dt/core";
import type { SlotRow, SlotTable } from "@dt/core/ledger";

/** The queue of a semaphore in a plain map, as obvious as can be: what other tables are compared with. */
export class ReferenceSlots implements SlotTable {
  readonly rows = new Map<string, SlotRow>();
  hints: (readonly [incarnation: string, hint: SlotHint])[] = [];

  slotsOf(incarnation: string): SlotRow | undefined {
    const row = this.rows.get(incarnation);
    return row && { ...row };
  }

  putSlots(row: SlotRow): void {
    this.rows.set(row.incarnation, { ...row });
  }

  queued(most: number): SlotRow[] {
    return this.#all()
      .filter(({ sinceMs }) => sinceMs !== null)
      .sort((a, b) => a.tier - b.tier || (a.sinceMs as number) - (b.sinceMs as number))
      .slice(0, most);
  }

  mostHeld(most: number): SlotRow[] {
    return this.#all()
      .sort((a, b) => b.held - a.held)
      .slice(0, most);
  }

  hint(incarnation: string, hint: SlotHint): void {
    this.hints.push([incarnation, hint]);
  }

  /** By their names, which decide between equals. */
  #all(): SlotRow[] {
    return [...this.rows.keys()].sort().map((incarnation) => this.slotsOf(incarnation) as SlotRow);
  }
}
