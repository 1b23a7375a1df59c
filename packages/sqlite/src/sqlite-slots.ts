import type { SlotHint } from "@dt/core";
import { type SlotRow, type SlotTable, writeSlotHint } from "@dt/core/ledger";
import { checkSlot, readChecked } from "./checked-rows.ts";
import type { Statements } from "./statements.ts";

/** The queue of one semaphore of the file, within one transaction. Rows are checked when they are read. */
export class SqliteSlots implements SlotTable {
  readonly #statements: Statements;
  readonly #groupId: () => number;
  /** Where a row is, for messages. */
  readonly #place: string;
  readonly hints: (readonly [incarnation: string, hint: SlotHint])[] = [];

  constructor(statements: Statements, groupId: () => number, place: string) {
    this.#statements = statements;
    this.#groupId = groupId;
    this.#place = place;
  }

  slotsOf(incarnation: string): SlotRow | undefined {
    const { selectSlot } = this.#statements;
    const stored = readChecked(this.#place, () => selectSlot.get(this.#groupId(), incarnation));
    return stored && checkSlot(stored, this.#place);
  }

  putSlots(row: SlotRow): void {
    this.#statements.putSlot.run(
      this.#groupId(),
      row.incarnation,
      row.held,
      row.want,
      row.seq,
      row.head,
      row.sinceMs,
      row.tier,
      row.reportedMs,
      row.offeredMs,
      row.askedMs,
      row.asked,
      row.heldSinceMs,
    );
  }

  queued(most: number): readonly SlotRow[] {
    return this.#all(() => this.#statements.selectQueue.all(this.#groupId(), most));
  }

  mostHeld(most: number): readonly SlotRow[] {
    return this.#all(() => this.#statements.selectMostHeld.all(this.#groupId(), most));
  }

  /** Its text is kept with the row, which listeners in other processes read. */
  hint(incarnation: string, hint: SlotHint): void {
    const put = hint.kind === "offer" ? this.#statements.putOffer : this.#statements.putAsk;
    put.run(writeSlotHint(hint), this.#groupId(), incarnation);
    this.hints.push([incarnation, hint]);
  }

  #all(read: () => Record<string, unknown>[]): readonly SlotRow[] {
    return readChecked(this.#place, read).map((stored) => checkSlot(stored, this.#place));
  }
}
