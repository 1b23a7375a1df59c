import type { Demand, Registration, Report, SlotDemand, SlotView, View } from "@dt/core";
import type { SlotRow } from "@dt/core/ledger";
import { changed } from "../answering.ts";
import type { Flaw, Operation, Proceed } from "../flaw.ts";
import { PlainSlots } from "../plain-slots.ts";
import { PlainTable } from "../plain-table.ts";
import { setHeld } from "../rows.ts";

type Asked = Registration | Report;

/** The queue is kept in another way. */
export function keptIn(Slots: new () => PlainSlots): Flaw {
  return {
    table: class extends PlainTable {
      override readonly slots = new Slots();
    },
  };
}

/** What is kept of a member is something else. */
export function keeping(change: (row: SlotRow, before: SlotRow | undefined) => Partial<SlotRow>): Flaw {
  return keptIn(
    class extends PlainSlots {
      override putSlots(row: SlotRow): void {
        super.putSlots({ ...row, ...change(row, this.slotsOf(row.incarnation)) });
      }
    },
  );
}

/** Reads the first of the queue in another way. */
export function reading(change: (rows: SlotRow[]) => SlotRow[]): Flaw {
  return keptIn(
    class extends PlainSlots {
      override queued(most: number): SlotRow[] {
        return change(super.queued(most));
      }
    },
  );
}

/** Sends other hints, or to other members. */
export function hinting(change: (hints: PlainSlots["hints"], slots: PlainSlots) => PlainSlots["hints"]): Flaw {
  return keptIn(
    class extends PlainSlots {
      override hint(...hint: PlainSlots["hints"][number]): void {
        this.hints.push(...change([hint], this));
      }
    },
  );
}

/** A member of a semaphore reports something else. */
export function reporting(change: (slots: SlotDemand, demand: Demand) => Partial<Demand>): Flaw {
  const run = <Request extends Asked>({ request }: Operation<Request>, proceed: Proceed<Request, View>): View => {
    const { demand } = request;
    return proceed(demand?.slots ? { ...request, demand: { ...demand, ...change(demand.slots, demand) } } : request);
  };
  return { register: run, sync: run };
}

/** A member of a semaphore is answered something else of the queue. */
export function answeringSlots(
  change: (slots: SlotView, operation: Operation<Asked>, view: View) => Partial<SlotView>,
): Flaw {
  const run = <Request extends Asked>(operation: Operation<Request>, proceed: Proceed<Request, View>): View => {
    const view = proceed();
    return changed(view, ({ demand }) =>
      demand?.slots
        ? { demand: { ...demand, slots: { ...demand.slots, ...change(demand.slots, operation, view) } } }
        : {},
    );
  };
  return { register: run, sync: run };
}

/** Something is done to the rows after every report of a member of a semaphore. */
export function afterReports(
  change: (table: PlainTable, operation: Operation<Report>, before: PlainTable) => void,
): Flaw {
  return {
    sync: (operation, proceed) => {
      const { table, request } = operation;
      const before = table.clone();
      const view = proceed();
      if (request.demand?.slots) change(table, operation, before);
      return view;
    },
  };
}

/** Sets what a member of a semaphore is recorded as holding. */
export function setSlots(table: PlainTable, incarnation: string, held: number): void {
  setHeld(table, incarnation, held);
  const row = table.slots.slotsOf(incarnation);
  if (row) table.slots.putSlots({ ...row, held });
}

/** Does something with the queue out of sight. */
export function withoutQueue<T>({ slots }: PlainTable, run: () => T): T {
  slots.hidden = true;
  try {
    return run();
  } finally {
    slots.hidden = false;
  }
}
