import type { CaseDefinition } from "../case.ts";
import { isMemberView } from "../member.ts";

/** What is true of every membership, with a ledger or without. */
export const membership: readonly CaseDefinition[] = [
  {
    name: "who has not registered, or has left, is unknown, and can register again",
    rule: "R12",
    async run(context) {
      const member = context.member(await context.store(), context.group());
      context.equal((await member.sync()).status, "unknown", "status of a sync before any registration", "R3");
      await member.join();
      await member.beat();
      await member.leave();
      context.equal((await member.sync()).status, "unknown", "status of a sync after the farewell");
      await member.leave();
      context.equal((await member.sync()).status, "unknown", "status of a sync after a second farewell");
      await member.join();
    },
  },
  {
    name: "a registration that arrives again is answered as the same member",
    rule: "R11",
    why: "a member whose answer was lost sends it again",
    async run(context) {
      const group = await context.newGroup();
      const member = group.member();
      const joined = await member.join();
      for (let i = 0; i < 3; i++) {
        const again = await group.store.register(group.name, member.registration());
        if (!isMemberView(again)) return context.fail(`a registration that arrives again is answered ${again.status}`);
        context.equal(again.members, joined.members, "member count answered to a registration that arrives again");
        context.equal(again.generation, joined.generation, "generation answered to it", "R5");
      }
      await member.beat();
    },
  },
  {
    name: "a member that declares another max is answered shares of that",
    rule: "R6",
    async run(context) {
      const store = await context.store();
      const member = context.member(store, context.group(), { max: 100 });
      const joined = await member.join();
      context.equal(joined.capacity, 100, "capacity after a registration with max 100");
      for (const max of [40, 7, 300]) {
        const view = await member.beat({ max, held: Math.min(member.held, Math.floor(max / joined.members)) });
        context.equal(view.capacity, max, `capacity after a report of max ${max}`);
        context.that(
          view.held <= Math.ceil(max / view.members),
          `held is ${view.held} of ${max} among ${view.members}`,
          "R7",
        );
      }
    },
  },
  {
    name: "an aborted registration makes no member, and an aborted farewell removes none",
    rule: "R16",
    async run(context) {
      const group = await context.newGroup();
      const member = group.member();
      const signal = AbortSignal.abort(new Error("given up"));
      const error = await context.refused(member.register({}, signal), ["DT_ABORTED"], "an aborted registration");
      context.equal(error.effect, "definite", "effect of a call that was never sent");
      context.equal((await member.sync()).status, "unknown", "status after an aborted registration");
      await member.join();
      const farewell = group.store.deregister(group.name, member.ref, { seq: member.seq + 1, level: null }, signal);
      await context.refused(farewell, ["DT_ABORTED"], "an aborted farewell");
      await member.beat();
    },
  },
  {
    name: "an id of 1,024 bytes in a group whose name has 1,024 bytes is a member like any other",
    rule: "R15",
    async run(context) {
      const store = await context.store();
      const wide = "日".repeat(341);
      for (const [letter, id] of [
        ["a", `${"i".repeat(1_023)}1`],
        ["b", `${wide}1`],
      ] as const) {
        const group = `${context.group().padEnd(1_023, letter)}g`;
        const member = context.member(store, group, { id, incarnation: `${wide}b` });
        await member.join();
        await member.beat();
        const { members } = await store.inspect(group);
        context.equal(members[0]?.id, id, "the id in inspect");
        await member.leave();
        context.equal((await member.sync()).status, "unknown", "status after the farewell", "R12");
      }
    },
  },
];
