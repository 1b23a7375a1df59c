import { SLOT_INTERVAL_MS } from "@dt/core/ledger";
import { type CaseDefinition, casesOf } from "../../case.ts";
import { demandGroup } from "../../demand/demand-group.ts";

/** A semaphore on a store without a queue of slots: shares by demand, in the shortest interval there is (R22). */
export const slotsWithoutQueue: readonly CaseDefinition[] = casesOf({ rule: "R22", needs: ["ledger", "demand"] }, [
  {
    name: "in intervals of a millisecond, what one frees that it has not used is good for another one at once",
    why: "a semaphore on this store would let slots lie idle",
    async run(context) {
      const group = await demandGroup(context, { max: 4, intervalMs: SLOT_INTERVAL_MS });
      const [a, b] = await group.joined(10, 10);
      for (const kept of [3, 2]) {
        await a.beat({ held: kept, use: { epoch: 0, used: kept } });
        const view = await b.beat({ use: { epoch: 0, used: b.member.held } });
        context.equal(view.held, 4 - kept, `held of one that wants 10 of 4, where another one keeps ${kept}`);
        const inMs = view.fromEpoch * SLOT_INTERVAL_MS - view.storeTimeMs;
        const isSoon = inMs <= view.clockErrorMs + SLOT_INTERVAL_MS;
        context.that(isSoon, `it may be used only ${inMs} ms after the answer`, "R20");
      }
    },
  },
]);
