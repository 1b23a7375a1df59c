import type { CoordinationStore, Demand } from "@dt/core";
import { type CaseDefinition, casesOf } from "../../case.ts";
import { AGAIN_MS, slotGroup } from "../../slots/slot-group.ts";
import { answersAgain, during, KILLED } from "../outage.ts";

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

type Listen = NonNullable<CoordinationStore["onSlotHint"]>;

/** The hints of slots, as a service of the store. Each case gives several occasions, since hints may be lost. */
export const slotHints: readonly CaseDefinition[] = casesOf({ rule: "R16", needs: ["ledger", "slots", "hints"] }, [
  {
    name: "onSlotHint is there exactly when capabilities.slots and capabilities.hints are true",
    needs: [],
    async run(context) {
      const { slots = false, hints } = context.target.capabilities;
      const store = await context.bareStore();
      context.equal(typeof store.onSlotHint === "function", slots && hints, "whether the store has onSlotHint()");
    },
  },
  {
    name: "a hint comes to a member that listens at another client than the one that caused it",
    async run(context) {
      const group = await slotGroup(context, 1);
      const [a, b] = await group.joined(1, 1);
      const hints = await group.hints(b, await context.client());
      a.callers = 0;
      const offer = await hints.until("offer", "a slot is free", async () => {
        group.pass(AGAIN_MS + 1);
        await a.beat(0);
      });
      context.equal(offer.seq, b.seq, "seq of the offer");
      hints.stop();
    },
  },
  {
    name: "a listener of slots that stopped is not called any more, and stopping twice is harmless",
    async run(context) {
      const group = await slotGroup(context, 1);
      const [a, b] = await group.joined(1, 1);
      const [stopped, listening] = [await group.hints(b), await group.hints(b)];
      stopped.stop();
      stopped.stop();
      a.callers = 0;
      await listening.until("offer", "a slot is free", async () => {
        group.pass(AGAIN_MS + 1);
        await a.beat(0);
      });
      context.equal(stopped.came.length, 0, "hints to a listener that stopped");
      listening.stop();
    },
  },
  {
    name: "after the connection was lost a listener of slots is called without a hint, and gets hints again",
    why: "a member that has missed an offer would leave slots unused that are on record for it",
    needs: ["ledger", "slots", "hints", "kill", "restart"],
    async run(context) {
      const group = await slotGroup(context, 1);
      const [a, b] = await group.joined(3, 3);
      const hints = await group.hints(a);
      await during(context, KILLED, async () => {});
      await answersAgain(context, () => group.inspect());
      const isCalled = async (): Promise<true | undefined> => (hints.came.includes(undefined) ? true : undefined);
      await context.until(isCalled, "a listener of slots is not called after the connection was lost", 50);
      await hints.until("ask", "another member waits for a turn", async () => {
        group.pass(AGAIN_MS + 1);
        await b.beat();
      });
      hints.stop();
    },
  },
  {
    name: "onSlotHint is refused with an aborted signal, with a malformed group or member and on a closed store",
    async run(context) {
      const store = await context.openStore();
      const listening = store as CoordinationStore & { onSlotHint: Listen };
      const group = context.group();
      const ref = { id: "first", incarnation: "first-boot" };
      const listen = (name: string, member = ref, signal?: AbortSignal): Promise<unknown> =>
        listening.onSlotHint(name, member, () => {}, signal);
      await context.refused(
        listen(group, ref, AbortSignal.abort()),
        ["DT_ABORTED"],
        "onSlotHint with an aborted signal",
      );
      await context.refused(listen(""), ["DT_INVALID_OPTION"], "onSlotHint of an empty group name", "R15");
      const nameless = listen(group, { ...ref, incarnation: "" });
      await context.refused(nameless, ["DT_INVALID_OPTION"], "onSlotHint of a member without an incarnation", "R15");
      await store.close();
      await context.refused(listen(group), ["DT_STORE_CLOSED"], "onSlotHint on a closed store");
    },
  },
]);

function parts(value: object): string {
  const shown = Object.entries(value).map(([name, part]) => `${name}: ${String(part)}`);
  return `{ ${shown.join(", ")} }`;
}
