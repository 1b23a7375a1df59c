import type { CaseDefinition } from "../case.ts";
import { SHORT_MS } from "../context.ts";

/** R3: who is a member. */
export const incarnations: readonly CaseDefinition[] = [
  {
    name: "a sync in a group that does not exist is answered unknown and creates nothing",
    rule: "R3",
    needs: ["ledger"],
    async run(context) {
      const store = await context.store();
      const group = context.group();
      const stranger = context.member(store, group);
      context.equal(
        (await stranger.sync({ generation: 5, poolSize: 1, held: 100 })).status,
        "unknown",
        "status of a stranger's sync",
      );
      const snapshot = await store.inspect(group);
      context.equal(snapshot.poolSize, 0, "pool size of a group that nobody registered in");
      context.equal(snapshot.generation, 0, "generation of a group that nobody registered in");
    },
  },
  {
    name: "a sync of an incarnation that never registered is answered unknown and changes nothing",
    rule: "R3",
    needs: ["ledger"],
    async run(context) {
      const store = await context.store();
      const group = context.group();
      const member = context.member(store, group, { id: "a" });
      const view = await member.join();
      const sameId = context.member(store, group, { id: "a" });
      const otherId = context.member(store, group, { id: "b" });
      context.equal((await sameId.sync()).status, "unknown", "status of an unregistered incarnation of a member's id");
      context.equal((await otherId.sync()).status, "unknown", "status of an unregistered id");
      const snapshot = await store.inspect(group);
      context.equal(snapshot.poolSize, 1, "pool size after the strangers' syncs");
      context.equal(snapshot.generation, view.generation, "generation after the strangers' syncs", "R5");
    },
  },
  {
    name: "a member that left is unknown, and may join again as the same incarnation",
    rule: "R3",
    needs: ["ledger"],
    async run(context) {
      const store = await context.store();
      const member = context.member(store, context.group());
      await member.join();
      await member.leave();
      context.equal((await member.sync()).status, "unknown", "status of a sync after leaving");
      const again = await member.join({ rejoin: true, claim: 40 });
      context.equal(again.poolSize, 1, "pool size after joining again");
    },
  },
  {
    name: "a new incarnation fences the live one, which stays a member with what it holds until it leaves",
    rule: "R3",
    why: "two processes with one id: the older may still be using its share, so the newer must not get it too",
    needs: ["ledger"],
    async run(context) {
      const store = await context.store();
      const group = context.group();
      const older = context.member(store, group, { id: "worker" });
      await older.join();
      const newer = context.member(store, group, { id: "worker" });
      const joined = await newer.join();
      context.equal(joined.poolSize, 2, "pool size with the fenced member and the new one");
      context.equal(joined.held, 0, "what the new incarnation holds while the fenced one holds everything", "R7");
      context.equal((await older.sync()).status, "fenced", "status of the older incarnation's sync");
      const fenced = (await store.inspect(group)).members.find(
        (member) => member.incarnation === older.ref.incarnation,
      );
      context.equal(fenced?.fenced, true, "whether the older incarnation is a fenced member");
      context.equal(fenced?.held, 100, "what the fenced member holds after its sync", "R7");
      context.equal((await newer.beat()).status, "disagree", "status while the fenced member has not adopted", "R9");
      await older.leave();
      const [view] = await context.agree(newer);
      context.equal(view?.held, 100, "what the new incarnation holds once the fenced one left", "R7");
    },
  },
  {
    name: "a fenced incarnation is fenced however it asks, and never becomes unfenced",
    rule: "R3",
    needs: ["ledger"],
    async run(context) {
      const store = await context.store();
      const group = context.group();
      const older = context.member(store, group, { id: "worker" });
      await older.join();
      const newer = context.member(store, group, { id: "worker" });
      const joined = await newer.join();
      context.equal((await older.register()).status, "fenced", "status of the fenced incarnation's registration");
      context.equal(
        (await older.register({ rejoin: true })).status,
        "fenced",
        "status of its registration with rejoin",
      );
      const view = await newer.beat({ generation: joined.generation });
      context.equal(view.generation, joined.generation, "generation after the fenced member's requests", "R5");
    },
  },
  {
    name: "a rejoin fences nobody: it is answered fenced itself when another incarnation has the id",
    rule: "R3",
    why: "a process that comes back from a long pause must not throw out the one that replaced it",
    needs: ["ledger"],
    async run(context) {
      const store = await context.store();
      const group = context.group();
      const replacement = context.member(store, group, { id: "worker" });
      const joined = await replacement.join();
      const returned = context.member(store, group, { id: "worker" });
      context.equal((await returned.register({ rejoin: true, claim: 100 })).status, "fenced", "status of the rejoin");
      const view = await replacement.beat();
      context.equal(view.poolSize, 1, "pool size after the refused rejoin");
      context.equal(view.generation, joined.generation, "generation after the refused rejoin", "R5");
      context.equal(view.held, 100, "what the replacement holds after the refused rejoin", "R7");
    },
  },
  {
    name: "a fenced member is removed when it goes stale",
    rule: "R4",
    needs: ["ledger"],
    async run(context) {
      const store = await context.store();
      const group = context.group();
      const older = context.member(store, group, { id: "worker", staleAfterMs: context.ms(SHORT_MS) });
      await older.join();
      const newer = context.member(store, group, { id: "worker" });
      await newer.join();
      await context.until(async () => {
        // Its own requests are no heartbeats: a fenced process that goes on syncing does not stay for ever.
        await older.sync();
        const view = await newer.beat();
        return view.poolSize === 1 && view.status === "agree" ? view : undefined;
      }, "a fenced member, which goes on calling, is not removed");
    },
  },
];
