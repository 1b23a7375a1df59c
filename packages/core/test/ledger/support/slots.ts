import type { MemberView, SlotHint } from "../../../src/index.ts";
import { deregister, register, sync } from "../../../src/ledger/index.ts";
import { MemoryTable } from "../../../src/memory/memory-table.ts";
import { registration } from "./group.ts";

/** What a member of a semaphore reports. */
export interface SlotReport {
  readonly held: number;
  readonly want: number;
  readonly waiting: number;
  /** Default: 1 where a caller waits. */
  readonly head?: number;
}

/** The ledger of one semaphore, at a clock that the test sets. */
export class SlotGroup {
  readonly table: MemoryTable = new MemoryTable();
  clockMs = 1_000_000;
  readonly #max: number;
  #seq = 0;

  constructor(max: number) {
    this.#max = max;
  }

  join(...names: string[]): void {
    for (const name of names) {
      const demand = { want: 0, syncMs: 1_000, slots: { waiting: 0, head: 0 } };
      const options = { seq: ++this.#seq, max: this.#max, intervalMs: 1, demand };
      register(this.table.begin(), registration(name, options), this.clockMs, 0);
    }
  }

  report(name: string, { held, want, waiting, head = Math.min(waiting, 1) }: SlotReport): MemberView {
    const demand = { want, syncMs: 1_000, slots: { waiting, head } };
    const report = { seq: ++this.#seq, generation: 0, members: 0, held, max: this.#max, level: null, demand };
    const view = sync(this.table.begin(), { id: name, incarnation: name }, report, this.clockMs);
    if (!("generation" in view)) throw new Error(`${name} was answered ${view.status}`);
    return view;
  }

  leave(name: string): void {
    deregister(this.table.begin(), { id: name, incarnation: name }, { seq: ++this.#seq, level: null }, this.clockMs);
  }

  /** The hints of the last operation. */
  get hints(): readonly (readonly [name: string, hint: SlotHint])[] {
    return this.table.slots.hints;
  }

  /** What is on record for a member. */
  held(name: string): number | undefined {
    return this.table.member(name)?.held;
  }
}
