import { type CaseDefinition, casesOf } from "../../case.ts";
import { SHORT_MS } from "../../context.ts";
import { AGAIN_MS, slotGroup } from "../../slots/slot-group.ts";

/** R30: raises that a member learns of by a hint. What is on record is shown for every store with slots. */
export const offers: readonly CaseDefinition[] = casesOf({ rule: "R30", needs: ["ledger", "slots", "hints"] }, [
  {
    name: "what becomes free is on record for the first of the queue at once: by a report, by a farewell, by a stale age",
    why: "a slot would lie idle for as long as the other member takes to report",
    needs: ["ledger", "slots"],
    async run(context) {
      const group = await slotGroup(context, 1);
      const a = group.member({ callers: 1, staleAfterMs: context.ms(SHORT_MS) });
      await a.join();
      const [b, c, d] = await group.joined(1, 1, 1);
      const members = [a, b, c, d];
      // The first request after the stale age removes the holder, and one of the second takes what it is given.
      await context.until(async () => {
        for (const member of [b, c, d]) if ((await member.beat()).members === 3) return true;
        return undefined;
      }, "a silent member is not removed");
      await group.records(members, ["-", 1, 0, 0], "once the holder is stale");
      await b.leave();
      await group.records(members, ["-", "-", 1, 0], "once the next holder has left");
      c.callers = 0;
      await c.beat(0);
      await group.records(members, ["-", "-", 0, 1], "once the next holder has reported that it keeps nothing");
    },
  },
  {
    name: "a report that was sent without knowledge of an offer lowers it: on record is what its answer has",
    why: "a member counts an offer only if it has sent nothing since, so that the record must not be more than its answer",
    needs: ["ledger", "slots"],
    async run(context) {
      const group = await slotGroup(context, 4);
      const members = await group.joined(10, 10, 0);
      const [a, b] = members;
      await a.beat(2);
      await group.records(members, [2, 2, 0], "once 2 are offered");
      const again = await b.beat(0);
      context.equal(again.held, 2, "held of one that needs 2, in the answer to a report that keeps nothing");
      b.callers = 1;
      const less = await b.beat(0);
      context.equal(less.held, 1, "held of one that needs 1, in the answer to a report that keeps nothing");
      context.equal((await group.recorded(members)).split(" ")[1], "1", "held on record of that one");
    },
  },
  {
    name: "an offer stays on record until its member reports: a report that arrives late takes nothing of it",
    needs: ["ledger", "slots"],
    async run(context) {
      const group = await slotGroup(context, 2);
      const members = await group.joined(10, 10);
      const [a, b] = members;
      const { store, name } = group.group;
      await b.beat();
      await a.beat(1);
      for (const seq of [b.seq, b.seq - 1]) await store.sync(name, b.ref, b.report(0, { seq }));
      await group.records(members, [1, 1], "after the report before the offer came again");
    },
  },
  {
    name: "the member that is raised gets a hint of it, on record already: how much it holds, and its last request that the store has seen",
    async run(context) {
      const group = await slotGroup(context, 4);
      const members = await group.joined(10, 10);
      const [a, b] = members;
      for (let reports = 0; reports < 3; reports++) await b.beat();
      const hints = await group.hints(b);
      const offer = await hints.until("offer", "2 slots are free, and a member lacks 2", async () => {
        group.pass(AGAIN_MS + 1);
        await a.beat(2);
      });
      await group.records(members, [2, 2], "when the hint has come");
      context.equal(offer.held, 2, "held of the offer");
      context.equal(offer.seq, b.seq, "seq of the offer");
      context.equal(offer.waterLevel, 2, "waterLevel of the offer");
      context.equal(offer.wanted, true, "wanted of the offer, where the other member waits for a turn");
      hints.stop();
    },
  },
  {
    name: "an offer goes to its member alone: not to the next of the queue, and to no other",
    why: "a member that takes another one's offer makes more calls than there are slots",
    async run(context) {
      const group = await slotGroup(context, 1);
      const [a, b, c] = await group.joined(1, 1, 1);
      await b.beat();
      const [toA, toB, toC] = [await group.hints(a), await group.hints(b), await group.hints(c)];
      a.callers = 0;
      await toB.until("offer", "a slot is free", async () => {
        group.pass(AGAIN_MS + 1);
        await a.beat(0);
      });
      context.equal(toC.came.length, 0, "hints to the second of the queue, when the first has its offer");
      b.callers = 0;
      await b.beat(0);
      const offer = await toC.until("offer", "a slot is free again", async () => {
        group.pass(AGAIN_MS + 1);
        await a.beat(0);
      });
      context.equal(offer.seq, c.seq, "seq of the first offer to the second of the queue");
      context.equal(toA.offers.length, 0, "offers to the member that freed the slot, and waits for none");
      context.that(
        toB.offers.every(({ seq }) => seq < b.seq),
        "the first of the queue has received an offer for the second",
      );
      for (const hints of [toA, toB, toC]) hints.stop();
    },
  },
  {
    name: "an offer that no report answers is hinted once more after 250 ms, not sooner, and not after the report",
    why: "hints may be lost, and the slot is on record: no member could use it until the next report",
    async run(context) {
      const group = await slotGroup(context, 1);
      const [a, b] = await group.joined(1, 1);
      const hints = await group.hints(b);
      a.callers = 0;
      let hintedMs = (await a.beat(0)).storeTimeMs;
      let due = 1;
      await context.until(async () => {
        for (const passMs of [AGAIN_MS / 2, AGAIN_MS]) {
          group.pass(passMs);
          const { storeTimeMs } = await a.beat(0);
          if (storeTimeMs - hintedMs <= AGAIN_MS) continue;
          hintedMs = storeTimeMs;
          due += 1;
        }
        await context.sleep(context.ms(20));
        return hints.offers.length >= 2 ? true : undefined;
      }, "an offer that no report answers is not hinted again");
      context.that(hints.offers.length <= due, `${hints.offers.length} hints of one offer came where ${due} were due`);
      for (const { held, seq } of hints.offers)
        context.equal(`${held} ${seq}`, `1 ${b.seq}`, "held and seq of each hint of the offer");
      await b.beat(1);
      group.pass(AGAIN_MS + 1);
      await a.beat(0);
      a.callers = 1;
      await hints.until("ask", "another member waits", async () => {
        group.pass(AGAIN_MS + 1);
        await a.beat(0);
      });
      context.that(hints.offers.length <= due, "an offer was hinted again after its member had reported");
      hints.stop();
    },
  },
]);
