import type { MemberView, Registration, View } from "../../../src/index.ts";
import { type GroupRow, register, sync } from "../../../src/ledger/index.ts";
import { MemoryTable } from "../../../src/memory/memory-table.ts";

/** A registration of a member of that name. */
export function registration(name: string, changes: Partial<Registration> = {}): Registration {
  return {
    ...{ id: name, incarnation: name, seq: 1, rejoin: false, claim: 0, max: 100, intervalMs: 1_000 },
    ...{ staleAfterMs: 10_000, learningMs: 0, level: null, resumeWithinMs: 0, observedMs: 0 },
    ...changes,
  };
}

/** One group in memory at a clock that the test sets. */
export class Group {
  readonly table: MemoryTable;
  clockMs = 1_000_000;
  readonly #views = new Map<string, MemberView>();
  #seq = 1;

  constructor(table: MemoryTable = new MemoryTable()) {
    this.table = table;
  }

  get row(): GroupRow {
    return this.table.group() as GroupRow;
  }

  join(name: string, changes: Partial<Registration> = {}, dataSinceMs?: number): MemberView {
    return this.#keep(
      name,
      register(this.table, registration(name, { seq: ++this.#seq, ...changes }), this.clockMs, dataSinceMs),
    );
  }

  /** A heartbeat of a member that does as it is told. */
  beat(name: string, observedMs = 0): MemberView {
    const { generation, members, held, entitled, status } = this.#views.get(name) as MemberView;
    const report = { seq: ++this.#seq, generation, members, held: status === "agree" ? held : entitled };
    const whole = { ...report, max: 100, level: null, observedMs };
    return this.#keep(name, sync(this.table, { id: name, incarnation: name }, whole, this.clockMs));
  }

  #keep(name: string, view: View): MemberView {
    if (view.status !== "agree" && view.status !== "disagree") throw new Error(`${name} was answered ${view.status}`);
    this.#views.set(name, view);
    return view;
  }
}
