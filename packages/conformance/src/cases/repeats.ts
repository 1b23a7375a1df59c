import { type CaseDefinition, casesOf } from "../case.ts";
import { SHORT_MS } from "../context.ts";

/** R11 and R12: requests that arrive twice, or late. A lost reply leaves a client no choice but to ask again. */
export const repeats: readonly CaseDefinition[] = casesOf({ rule: "R11", needs: ["ledger"] }, [
  {
    name: "a registration that arrives twice makes one member",
    async run(context) {
      const group = await context.newGroup();
      const a = group.member();
      await a.join();
      const member = group.member();
      const first = await member.join({ claim: 30 });
      const again = await group.store.register(group.name, member.registration({ claim: 30 }));
      context.equal(again.status, "disagree", "status of the same registration again");
      context.equal((again as typeof first).members, 2, "member count after the same registration again");
      context.equal(
        (again as typeof first).generation,
        first.generation,
        "generation after the same registration again",
        "R5",
      );
      context.equal((again as typeof first).held, 30, "held after the same registration again", "R7");
      const next = await member.join({ claim: 30 });
      context.equal(next.members, 2, "member count after a newer registration of the same incarnation");
      context.equal((await group.inspect()).held, 130, "sum of what is held after the repeats", "R7");
    },
  },
  {
    name: "a report that arrives twice has the effect of one",
    async run(context) {
      const { group, a } = await context.joinedPair();
      await a.beat();
      const first = await a.beat({ held: 70 });
      const before = await group.inspect();
      const again = await group.store.sync(group.name, a.ref, a.report({ seq: a.seq, held: 70 }));
      context.equal((again as typeof first).held, 70, "held in the answer to the same report again");
      const after = await group.inspect();
      context.equal(after.held, before.held, "sum of what is held after the same report again", "R7");
      context.equal(after.generation, before.generation, "generation after the same report again", "R5");
      context.equal(after.adopted, before.adopted, "members that have adopted after the same report again", "R9");
    },
  },
  {
    name: "a report that arrives after a newer one lowers nothing",
    why: "the member has been raised since, and uses what the newer answer gave it",
    async run(context) {
      const { group, a, b } = await context.joinedPair();
      await a.beat();
      const lateSeq = a.seq;
      await a.beat({ held: 80 });
      const late = await group.store.sync(group.name, a.ref, a.report({ seq: lateSeq, held: 55 }));
      context.equal(
        (late as { held?: number }).held,
        80,
        "held in the answer to a late report of 55 where the newer one named 80",
      );
      context.equal((await b.beat()).held, 20, "held of the other member: the late report freed nothing", "R7");
      await group.store.sync(group.name, a.ref, a.report({ seq: a.seq, held: 55 }));
      context.equal(
        (await group.inspect()).held,
        100,
        "sum of what is held after a different report with the last seq again",
      );
    },
  },
  {
    name: "a report that arrives after a newer one adopts nothing and changes no max",
    async run(context) {
      const { group, a } = await context.joinedPair();
      const heard = await a.beat();
      await a.beat({ generation: 0, held: 50 });
      const late = await group.store.sync(
        group.name,
        a.ref,
        a.report({ seq: a.seq - 1, generation: heard.generation, held: 50, max: 30 }),
      );
      context.equal(late.status, "disagree", "status of a late report that names the generation");
      const snapshot = await group.inspect();
      context.equal(snapshot.adopted, 1, "members that have adopted: the newcomer");
      context.equal(snapshot.capacity, 100, "capacity after a late report of another max", "R6");
      context.equal((await a.beat()).status, "agree", "status of the next report in order", "R9");
    },
  },
  {
    name: "a late registration of a member lowers nothing",
    async run(context) {
      const group = await context.newGroup();
      const a = group.member();
      await a.join();
      const first = a.registration();
      await a.beat();
      await group.store.register(group.name, first);
      await group.member().join();
      await group.store.register(group.name, first);
      const snapshot = await group.inspect();
      context.equal(snapshot.memberCount, 2, "member count after a registration arrived again, late");
      context.equal(
        snapshot.members[0]?.held,
        100,
        "what the member holds after its registration with claim 0 arrived again, late",
      );
    },
  },
  {
    name: "a request that was overtaken is no heartbeat",
    why: "messages of a dead process that are still on their way must not keep it alive",
    async run(context) {
      const group = await context.newGroup();
      const survivor = group.member();
      await survivor.join();
      const dead = group.member({ staleAfterMs: context.ms(SHORT_MS) });
      await dead.join();
      const late = dead.report();
      await dead.beat();
      await context.until(async () => {
        await group.store.sync(group.name, dead.ref, late);
        return (await survivor.beat()).members === 1 ? true : undefined;
      }, "a member whose only requests are late ones is never removed");
      context.equal(
        (await group.store.sync(group.name, dead.ref, late)).status,
        "unknown",
        "status of a late report of a removed member",
        "R3",
      );
    },
  },
  {
    name: "an overtaken request is still answered, and may raise",
    async run(context) {
      const { group, a, b } = await context.joinedPair();
      const late = b.report();
      await b.beat();
      await a.beat();
      await a.beat({ held: 75 });
      const view = await group.store.sync(group.name, b.ref, late);
      context.equal(view.status, "disagree", "status of the answer to a late report");
      context.equal((view as { held?: number }).held, 25, "held in the answer to a late report, where 25 are free");
      context.equal((await group.inspect()).held, 100, "sum of what is held: the raise is recorded", "R7");
    },
  },
  {
    name: "a farewell succeeds when the member is not there, once, twice and in a group that never was",
    rule: "R12",
    async run(context) {
      const group = await context.newGroup();
      const [a, b] = [group.member(), group.member()];
      await a.leave();
      await a.join();
      await b.join();
      await b.leave();
      const once = await group.inspect();
      context.equal(once.memberCount, 1, "member count after a farewell");
      await group.store.deregister(group.name, b.ref, { seq: b.seq, level: null });
      await b.leave();
      await group.member().leave();
      const twice = await group.inspect();
      context.equal(twice.memberCount, 1, "member count after the farewell arrived again");
      context.equal(twice.generation, once.generation, "generation after the farewell arrived again", "R5");
      context.equal(twice.held, once.held, "sum of what is held after the farewell arrived again", "R7");
    },
  },
  {
    name: "a report that arrives after the farewell does not bring the member back",
    rule: "R12",
    async run(context) {
      const { group, b } = await context.joinedPair();
      await b.leave();
      context.equal((await b.sync()).status, "unknown", "status of a report after the farewell");
      context.equal((await group.inspect()).memberCount, 1, "member count after it");
    },
  },
]);
