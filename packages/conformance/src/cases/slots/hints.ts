import type { CoordinationStore } from "@dt/core";
import { type CaseDefinition, casesOf } from "../../case.ts";
import { AGAIN_MS, slotGroup } from "../../slots/slot-group.ts";
import { answersAgain, during, KILLED } from "../outage.ts";

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
