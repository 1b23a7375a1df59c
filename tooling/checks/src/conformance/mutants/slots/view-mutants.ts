import { divide, fairOf, isLearning } from "@dt/core/ledger";
import { isMember } from "@dt-tooling/simulator/requests";
import { changed } from "../answering.ts";
import { type Mutant, mutant } from "../flaw.ts";
import { afterReports, answeringSlots, keeping, reading, reporting, setSlots } from "./slot-flaw.ts";

/** R32: more is held than there is. */
export const slotOverMutants: readonly Mutant[] = [
  mutant(
    "no answer is over",
    "R32",
    answeringSlots(() => ({ over: false })),
  ),
  mutant(
    "only members that hold more than the even part are answered over",
    "R32",
    answeringSlots(({ over }, _, view) => ({
      over: over && isMember(view) && view.held > fairOf({ ...view, memberCount: view.members }).fair,
    })),
  ),
  mutant(
    "an answer is over for as long as all is held",
    "R32",
    answeringSlots((_, { table }) => {
      const row = table.group();
      return { over: row !== undefined && row.held >= row.capacity };
    }),
  ),
  mutant(
    "the first of the queue is raised though more is held than there is",
    "R32",
    afterReports((table) => {
      const row = table.group();
      const [first] = table.slots.queued(1);
      if (row && first && !isLearning(row) && row.held > row.capacity && first.held === 0)
        setSlots(table, first.incarnation, 1);
    }),
  ),
];

/** R33: what an answer has of the queue. */
export const slotOrderMutants: readonly Mutant[] = [
  mutant(
    "the place is always the first",
    "R33",
    answeringSlots(() => ({ place: 0 })),
  ),
  mutant(
    "the place counts all that wait",
    "R33",
    answeringSlots((_, { table, ref }) => {
      const others = table.slots.queued(32).filter(({ incarnation }) => incarnation !== ref.incarnation).length;
      return { place: others, wanted: others > 0 };
    }),
  ),
  mutant(
    "wanted counts the member itself",
    "R33",
    answeringSlots((_, { table }) => ({ wanted: table.slots.queued(1).length > 0 })),
  ),
  mutant(
    "turns are the members that wait for one",
    "R33",
    answeringSlots((_, { table }) => {
      const row = table.group();
      return { turns: row ? divide(row).takers : 0 };
    }),
  ),
  mutant("the store promises a queue of slots, and answers nothing of it", "R33", {
    sync: (_, proceed) =>
      changed(proceed(), ({ demand }) => {
        const { slots: _slots, ...without } = demand ?? {};
        return demand ? { demand: without as typeof demand } : {};
      }),
  }),
  mutant("a throttle's group has a queue of slots", "R33", {
    sync: ({ request }, proceed) => {
      const { demand } = request;
      if (!demand || demand.slots) return proceed();
      const slots = { waiting: demand.want, head: Math.min(1, demand.want), tookOffer: false };
      return proceed({ ...request, demand: { ...demand, slots } });
    },
  }),
];

/** R34: callers that cost more than their members are ever due. */
export const costlyMutants: readonly Mutant[] = [
  mutant(
    "a costly caller waits until it is due as much",
    "R34",
    reporting((slots) => ({ slots: { ...slots, head: Math.min(1, slots.head) } })),
  ),
  mutant(
    "the turn of a costly caller begins at once",
    "R34",
    reading((rows) => rows.map((row) => ({ ...row, sinceMs: row.sinceMs && Math.max(1, row.sinceMs - 1e9) }))),
  ),
  mutant(
    "a costly caller keeps its turn when its call is over",
    "R34",
    keeping(({ sinceMs }, before) => (before?.sinceMs === 0 ? { sinceMs: 0 } : { sinceMs })),
  ),
  mutant(
    "all costly callers have their turns at the same time",
    "R34",
    afterReports((table) => {
      const costly = table.slots.queued(32).filter(({ head }) => head === 5);
      if (costly[0]?.sinceMs !== 0) return;
      for (const { incarnation } of costly) setSlots(table, incarnation, 4);
    }),
  ),
];
