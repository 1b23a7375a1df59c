import type { Demand } from "@dt/core";
import { type CaseDefinition, casesOf } from "../../case.ts";
import { slotGroup } from "../../slots/slot-group.ts";

const NOT_TOKENS = [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 1e12 + 1, 2 ** 53, "1", null, undefined];
const NOT_SLOTS = [
  ...["1", 1, null],
  ...NOT_TOKENS.map((waiting) => ({ waiting, head: 1, tookOffer: false })),
  ...NOT_TOKENS.map((head) => ({ waiting: 1, head, tookOffer: false })),
  ...[1, "true", null, undefined].map((tookOffer) => ({ waiting: 1, head: 1, tookOffer })),
];

/** Semaphores do not meet, and what a store refuses of slots. */
export const slotsApart: readonly CaseDefinition[] = casesOf({ rule: "R28", needs: ["ledger", "slots"] }, [
  {
    name: "two semaphores do not meet, though the same processes are in both",
    rule: "R15",
    async run(context) {
      const [one, other] = [await slotGroup(context, 1), await slotGroup(context, 1)];
      const refs = ["first", "second"].map((id) => ({ id, incarnation: `${id}-boot` }));
      const [a, b] = refs.map((ref) => one.member({ ...ref, callers: 1 })) as [
        ReturnType<typeof one.member>,
        ReturnType<typeof one.member>,
      ];
      const [c, d] = refs.map((ref) => other.member({ ...ref, callers: 1 })) as [typeof a, typeof b];
      for (const member of [a, b, c, d]) await member.join();
      a.callers = 0;
      await a.beat(0);
      await one.records([a, b], [0, 1], "where the first is done");
      await other.records([c, d], [1, 0], "in the other semaphore");
      other.shows(await c.beat(), { wanted: true }, "in the other semaphore");
      await b.leave();
      await other.records([c, d], [1, 0], "in the other semaphore, once the second has left the first one");
      c.callers = 0;
      await c.beat(0);
      await other.records([c, d], [0, 1], "in the other semaphore, once its first is done");
    },
  },
  {
    name: "slots that are no numbers of slots are refused, and change nothing",
    async run(context) {
      const group = await slotGroup(context, 1);
      const members = await group.joined(1, 1, 1);
      const [a, b] = members;
      const { store, name } = group.group;
      for (const slots of NOT_SLOTS) {
        const demand = { want: 0, syncMs: 1_000, slots } as unknown as Demand;
        const shown = typeof slots === "object" && slots !== null ? parts(slots) : String(slots);
        const report = store.sync(name, b.ref, b.report(0, { seq: 99, demand }));
        await context.refused(report, ["DT_INVALID_OPTION"], `a report with slots ${shown}`);
        const registration = store.register(name, b.member.registration({ seq: 99, demand }));
        await context.refused(registration, ["DT_INVALID_OPTION"], `a registration with slots ${shown}`);
      }
      a.callers = 0;
      await a.beat(0);
      await group.records(members, [0, 1, 0], "after all that, where the second waits the longest");
    },
  },
]);

function parts(value: object): string {
  const shown = Object.entries(value).map(([name, part]) => `${name}: ${String(part)}`);
  return `{ ${shown.join(", ")} }`;
}
