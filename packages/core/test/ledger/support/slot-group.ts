import type { MemberView, Registration, Report, SlotDemand, SlotHint, SlotView, View } from "../../../src/index.ts";
import { deregister, register, SLOT_INTERVAL_MS, sync } from "../../../src/ledger/index.ts";
import { MemoryTable } from "../../../src/memory/memory-table.ts";
import { registration } from "./group.ts";

/** What a member of the group reports, beside the slots that it holds. */
export interface SlotReport extends Partial<SlotDemand> {
  readonly want?: number;
  readonly seq?: number;
  readonly max?: number;
  readonly generation?: number;
}

/** The ledger of one semaphore in memory, at a clock that the test sets. */
export class SlotGroup {
  readonly table: MemoryTable = new MemoryTable();
  readonly #max: number;
  clockMs = 1_000_000;
  #seq = 1;

  constructor(max: number, ...names: readonly string[]) {
    this.#max = max;
    for (const name of names) this.join(name);
  }

  /** The hints of the last operation, as texts: `a offer 1`, `b ask 2`. */
  get hints(): readonly string[] {
    return this.table.slots.hints.map(([name, hint]) => `${name} ${textOf(hint)}`);
  }

  get offers(): readonly (readonly [name: string, hint: SlotHint])[] {
    return this.table.slots.hints.filter(([, { kind }]) => kind === "offer");
  }

  /** What members hold on record. */
  get held(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.table.members().map(({ incarnation, held }) => [incarnation, held]));
  }

  /** The members of the queue, the first one first. */
  get queue(): readonly string[] {
    return this.table.slots.queued(1_000).map(({ incarnation }) => incarnation);
  }

  /** @param dataSinceMs of the data, as of `register` */
  join(name: string, changes: Partial<Registration> = {}, dataSinceMs = 0): View {
    const demand = { want: 0, syncMs: 1_000, slots: { waiting: 0, head: 0, tookOffer: false } };
    const whole = { seq: ++this.#seq, max: this.#max, intervalMs: SLOT_INTERVAL_MS, demand, ...changes };
    this.table.begin();
    return register(this.table, registration(name, whole), this.clockMs, dataSinceMs);
  }

  /** Any answer; `report` where the member takes part. */
  sync(name: string, held: number, report: SlotReport = {}): View {
    const {
      waiting = 0,
      head = Math.min(1, waiting),
      tookOffer = false,
      seq = ++this.#seq,
      want = held + waiting,
    } = report;
    const demand = { want, syncMs: 1_000, slots: { waiting, head, tookOffer } };
    const { generation = this.table.group()?.generation ?? 0, max = this.#max } = report;
    const whole: Report = { seq, generation, members: 0, held, max, level: null, demand };
    this.table.begin();
    return sync(this.table, { id: name, incarnation: name }, whole, this.clockMs);
  }

  report(name: string, held: number, report: SlotReport = {}): MemberView & SlotView {
    const view = this.sync(name, held, report);
    if (!("generation" in view) || !view.demand?.slots) throw new Error(`${name} was answered ${view.status}`);
    return { ...view, ...view.demand.slots };
  }

  leave(name: string): void {
    this.table.begin();
    deregister(
      this.table,
      { id: name, incarnation: name },
      { seq: ++this.#seq, level: null, use: { epoch: 0, used: 0 } },
      this.clockMs,
    );
  }
}

function textOf(hint: SlotHint): string {
  return hint.kind === "offer" ? `offer ${hint.held}` : `ask ${hint.give}`;
}
