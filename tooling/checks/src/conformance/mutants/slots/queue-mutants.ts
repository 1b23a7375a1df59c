import { divide, lackOf, type SlotRow, serveSlots } from "@dt/core/ledger";
import { type Flaw, type Mutant, mutant } from "../flaw.ts";
import { PlainSlots } from "../plain-slots.ts";
import { PlainTable } from "../plain-table.ts";
import { afterReports, keeping, keptIn, reading, reporting, setSlots, withoutQueue } from "./slot-flaw.ts";

/** R28: who is in the queue, and in which order. */
export const slotQueueMutants: readonly Mutant[] = [
  mutant(
    "who began to wait last is served first",
    "R28",
    keeping(({ sinceMs }) => ({ sinceMs: sinceMs && -Math.abs(sinceMs) })),
  ),
  mutant(
    "of more members than one operation looks at, it looks at the last",
    "R28",
    keptIn(
      class extends PlainSlots {
        override queued(most: number): SlotRow[] {
          return super.queued(Number.POSITIVE_INFINITY).slice(-most);
        }
      },
    ),
  ),
  mutant(
    "who reports again begins to wait anew",
    "R28",
    keeping(({ sinceMs, reportedMs }) => ({ sinceMs: sinceMs && reportedMs })),
  ),
  mutant(
    "a turn is served before one that has less than it needs",
    "R28",
    reading((rows) => {
      const turns = rows.filter(({ tier }) => tier === 1);
      return turns.length > 0 ? turns : rows;
    }),
  ),
  mutant(
    "who gives its turn up keeps its place",
    "R28",
    reporting((slots) => ({ slots: { ...slots, tookOffer: false } })),
  ),
  mutant(
    "every report that gives slots up goes to the end, also one that knew of no offer",
    "R28",
    reporting((slots) => ({ slots: { ...slots, tookOffer: true } })),
  ),
  mutant(
    "who has a slot keeps its place in the queue",
    "R28",
    keeping(({ sinceMs }, before) => ({ sinceMs: sinceMs ?? before?.sinceMs ?? null })),
  ),
  mutant(
    "who is silent keeps its place for ever",
    "R28",
    reading((rows) => rows.map((row) => ({ ...row, reportedMs: Number.POSITIVE_INFINITY }))),
  ),
  mutant(
    "who is silent for a second loses its place",
    "R28",
    keeping(({ reportedMs }, before) => ({
      reportedMs: before?.reportedMs === reportedMs ? reportedMs : reportedMs - 1_500,
    })),
  ),
  mutant(
    "who waits no more stays in the queue",
    "R28",
    reporting((slots, { want }) =>
      slots.waiting > 0 || want > 0 ? {} : { want: 1, slots: { ...slots, waiting: 1, head: 1 } },
    ),
  ),
  mutant("a late report takes its member's place away", "R28", {
    sync: ({ table, ref, request }, proceed) => {
      const known = table.slots.slotsOf(ref.incarnation);
      if (known && request.seq <= known.seq && request.demand?.slots?.waiting === 0)
        table.slots.putSlots({ ...known, sinceMs: null });
      return proceed();
    },
  }),
  mutant(
    "who lost its id keeps its place",
    "R28",
    afterReports((table, _, before) => {
      for (const { incarnation, standing } of table.members()) {
        const known = before.slots.slotsOf(incarnation);
        if (standing === "fenced" && known) table.slots.putSlots(known);
      }
    }),
  ),
  mutant("slots that are no numbers are accepted", "R28", {
    unchecked: ({ method, given }) => {
      const request = given[method === "sync" ? 2 : 1] as { demand?: { slots?: unknown } } | undefined;
      return (method === "sync" || method === "register") && request?.demand?.slots !== undefined;
    },
  }),
  mutant("semaphores share one queue", "R15", { table: sharedQueue() }),
];

/** R29: what a member is raised by, with others before it. */
export const judgedMutants: readonly Mutant[] = [
  mutant("who reports is raised before those in the queue", "R29", {
    sync: ({ table, request }, proceed) => {
      if (!request.demand?.slots) return proceed();
      const view = withoutQueue(table, () => proceed());
      const row = table.group();
      if (row) {
        serveSlots(table, row);
        table.putGroup(row);
      }
      return view;
    },
  }),
  mutant(
    "the first of the queue gets everything that is free",
    "R29",
    afterReports((table) => {
      // What the second was given goes to the first.
      const [first, second] = table.slots.hints
        .filter(([, { kind }]) => kind === "offer")
        .map(([incarnation]) => incarnation);
      const [one, other] = [first, second].map((incarnation) => table.member(incarnation ?? ""));
      if (!one || !other) return;
      setSlots(table, other.incarnation, 0);
      setSlots(table, one.incarnation, one.held + other.held);
    }),
  ),
  mutant(
    "slots that are kept for idle members go to holders as well",
    "R29",
    afterReports((table) => {
      const row = table.group();
      if (!row) return;
      const division = divide(row);
      for (const queued of table.slots.queued(32)) {
        const { slots } = lackOf(division, queued);
        const free = row.capacity - (table.group()?.held ?? 0);
        const given = Math.min(slots, free);
        if (given > 0) setSlots(table, queued.incarnation, queued.held + given);
      }
    }),
  ),
];

/** Every table has the same queue. */
function sharedQueue(): NonNullable<Flaw["table"]> {
  const slots = new PlainSlots();
  return class extends PlainTable {
    override readonly slots = slots;
  };
}
