import { type CaseDefinition, casesOf } from "../case.ts";
import type { CaseGroup } from "../case-group.ts";
import { type CaseContext, SHORT_MS } from "../context.ts";
import type { Member, MemberOptions } from "../member.ts";

/** R3: who is a member. */
export const incarnations: readonly CaseDefinition[] = casesOf({ rule: "R3", needs: ["ledger"] }, [
  {
    name: "a sync in a group that does not exist is answered unknown and creates nothing",
    async run(context) {
      const group = await context.newGroup();
      const stranger = group.member();
      context.equal(
        (await stranger.sync({ generation: 5, members: 1, held: 100 })).status,
        "unknown",
        "status of a stranger's sync",
      );
      const snapshot = await group.inspect();
      context.equal(snapshot.memberCount, 0, "member count of a group without a registration");
      context.equal(snapshot.generation, 0, "generation of a group without a registration");
    },
  },
  {
    name: "a sync of an incarnation that never registered is answered unknown and changes nothing",
    async run(context) {
      const group = await context.newGroup();
      const member = group.member({ id: "a" });
      const view = await member.join();
      const sameId = group.member({ id: "a" });
      const otherId = group.member({ id: "b" });
      context.equal((await sameId.sync()).status, "unknown", "status of an unregistered incarnation of a member's id");
      context.equal((await otherId.sync()).status, "unknown", "status of an unregistered id");
      const snapshot = await group.inspect();
      context.equal(snapshot.memberCount, 1, "member count after the strangers' syncs");
      context.equal(snapshot.generation, view.generation, "generation after the strangers' syncs", "R5");
    },
  },
  {
    name: "a member that left is unknown, and may join again as the same incarnation",
    async run(context) {
      const store = await context.store();
      const member = context.member(store, context.group());
      await member.join();
      await member.leave();
      context.equal((await member.sync()).status, "unknown", "status of a sync after leaving");
      const again = await member.join({ rejoin: true, claim: 40 });
      context.equal(again.members, 1, "member count after joining again");
    },
  },
  {
    name: "a new incarnation fences the live one at its first sync, and that one stays a member with its tokens until it leaves",
    why: "two processes with one id: the older may still be using its share, so the newer must not get it too",
    async run(context) {
      const { group, older, newer } = await replacement(context);
      const joined = await newer.join();
      context.equal(joined.members, 2, "member count with both incarnations");
      context.equal(joined.held, 0, "what the new incarnation holds while the older one holds everything", "R7");
      context.equal((await newer.beat()).status, "disagree", "status while the older one has not adopted", "R9");
      context.equal(
        (await older.sync()).status,
        "fenced",
        "status of the older incarnation's sync after the newer one's",
      );
      const fenced = (await group.inspect()).members.find(({ incarnation }) => incarnation === older.ref.incarnation);
      context.equal(fenced?.fenced, true, "whether the older incarnation is a fenced member");
      context.equal(fenced?.held, 100, "what the fenced member holds after its sync", "R7");
      context.equal((await newer.beat()).held, 0, "what the new incarnation holds while the fenced one is there", "R7");
      await older.leave();
      const [view] = await context.agree(newer);
      context.equal(view?.held, 100, "what the new incarnation holds once the fenced one left", "R7");
    },
  },
  {
    name: "a registration alone fences no member",
    why: "it may be a late message of a process that died; only a sync shows that its sender read an answer and lives",
    async run(context) {
      const group = await context.newGroup();
      const alive = group.member({ id: "worker" });
      await alive.join();
      await alive.beat();
      await group.member({ id: "worker", staleAfterMs: context.ms(SHORT_MS) }).join();
      await alive.beat();
      const snapshot = await group.inspect();
      context.that(
        snapshot.members.every((member) => !member.fenced),
        "a member was fenced by the registration of another incarnation of its id",
      );
      await context.until(async () => {
        const view = await alive.beat();
        return view.members === 1 && view.status === "agree" ? view : undefined;
      }, "the one that only registered does not go stale");
    },
  },
  {
    name: "of two incarnations, the one that registered later fences the other, whichever syncs first",
    async run(context) {
      const group = await context.newGroup();
      const [older, newer] = [group.member({ id: "worker" }), group.member({ id: "worker" })];
      await older.join();
      await newer.join();
      await newer.beat();
      context.equal(
        (await older.sync()).status,
        "fenced",
        "status of the older one's first sync, after the newer one's",
      );
      await newer.beat();
    },
  },
  {
    name: "a fenced incarnation is fenced however it asks, and never becomes unfenced",
    async run(context) {
      const { older, newer } = await replacement(context);
      await newer.join();
      const { generation } = await newer.beat();
      context.equal((await older.register()).status, "fenced", "status of the fenced incarnation's registration");
      context.equal(
        (await older.register({ rejoin: true })).status,
        "fenced",
        "status of its registration with rejoin",
      );
      context.equal((await older.sync()).status, "fenced", "status of its sync after these");
      context.equal((await newer.beat()).generation, generation, "generation after the fenced member's requests", "R5");
    },
  },
  {
    name: "a rejoin fences no other: it is answered fenced itself when another incarnation is the holder of the id",
    why: "a process that comes back from a long pause must not throw out the one that replaced it",
    async run(context) {
      const group = await context.newGroup();
      const replacement = group.member({ id: "worker" });
      const joined = await replacement.join();
      await replacement.beat();
      const returned = group.member({ id: "worker" });
      context.equal((await returned.register({ rejoin: true, claim: 100 })).status, "fenced", "status of the rejoin");
      const view = await replacement.beat();
      context.equal(view.members, 1, "member count after the refused rejoin");
      context.equal(view.generation, joined.generation, "generation after the refused rejoin", "R5");
      context.equal(view.held, 100, "what the replacement holds after the refused rejoin", "R7");
    },
  },
  {
    name: "a rejoin makes its member the holder of the id by its first sync, and is earlier than anything new",
    async run(context) {
      const group = await context.newGroup();
      const first = group.member({ id: "worker" });
      await first.join({ rejoin: true, claim: 10 });
      const second = group.member({ id: "worker" });
      // The first may have been a late message of a process that is dead: nothing is known of it until it syncs.
      await second.join({ rejoin: true, claim: 10 });
      await first.beat();
      context.equal(
        (await second.sync()).status,
        "fenced",
        "status of the one that rejoined later, after the first one's sync",
      );
      const newcomer = group.member({ id: "worker" });
      await newcomer.join();
      await newcomer.beat();
      context.equal(
        (await first.sync()).status,
        "fenced",
        "status of the one that rejoined after a newcomer's first sync",
      );
    },
  },
  {
    name: "a fenced member is removed when it goes stale",
    rule: "R4",
    async run(context) {
      const { older, newer } = await replacement(context, { staleAfterMs: context.ms(SHORT_MS) });
      await newer.join();
      await newer.beat();
      await context.until(async () => {
        // Its own requests are no heartbeats: a fenced process that goes on syncing does not stay for ever.
        await older.sync();
        const view = await newer.beat();
        return view.members === 1 && view.status === "agree" ? view : undefined;
      }, "a fenced member, which goes on calling, is not removed");
    },
  },
]);

/** The holder of an id, and another incarnation of it that has yet to join. */
async function replacement(
  context: CaseContext,
  options: MemberOptions = {},
): Promise<{
  readonly group: CaseGroup;
  readonly older: Member;
  readonly newer: Member;
}> {
  const group = await context.newGroup();
  const older = group.member({ id: "worker", ...options });
  await older.join();
  await older.beat();
  return { group, older, newer: group.member({ id: "worker" }) };
}
