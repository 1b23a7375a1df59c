import { type CaseDefinition, casesOf } from "../case.ts";
import type { CaseContext } from "../context.ts";
import type { Member } from "../member.ts";
import { answersAgain, CUT_OFF, during, KILLED, type Outage, PAUSED, settles, settlesGivenUp } from "./outage.ts";

/** R16 on a server that is stopped, killed or cut off. */
export const faults: readonly CaseDefinition[] = casesOf({ rule: "R16" }, [
  {
    name: "while the server is paused every call settles in time, and afterwards the store works again",
    why: "a caller that hangs with its server can neither stop granting nor fall back",
    needs: ["ledger", "pause", "resume"],
    run: (context) => outage(context, PAUSED),
  },
  {
    name: "while the server is cut off every call settles in time, and afterwards the store works again",
    needs: ["ledger", "partition", "heal"],
    run: (context) => outage(context, CUT_OFF),
  },
  {
    name: "a killed server fails every call in time, and when it is back with its data so is the group",
    needs: ["ledger", "kill", "restart"],
    run: (context) => outage(context, KILLED),
  },
  {
    name: "a server that lost its data answers unknown, and takes back the survivors with their claims and their time",
    rule: "R8",
    needs: ["ledger", "losesData", "kill", "restart"],
    async run(context) {
      const group = await context.newGroup();
      const learningMs = context.ms(1_500);
      const [a, b] = [group.member({ learningMs }), group.member({ learningMs })];
      for (const member of [a, b]) await member.join();
      await context.until(async () => ((await a.beat()).learning ? undefined : true), "the group never ends learning");
      const [before] = await context.agree(a, b);
      context.note("the server is killed and restarted empty");
      await context.target.faults?.kill?.();
      await context.target.faults?.restart?.({ keepData: false });
      await answersAgain(context, () => group.inspect());
      // Longer than since the loss, and no longer than the server has run before.
      const longMs = context.now() + context.ms(100);
      const stranger = await context.member(group.store, context.group(), { learningMs: longMs }).join();
      context.equal(stranger.learning, true, "learning in a group that is new after the data was lost");
      context.equal((await a.sync()).status, "unknown", "status of a member after the server lost its data", "R3");
      const claimed = await a.join({ rejoin: true, claim: 50, observedMs: a.observedMs });
      context.equal(claimed.held, 50, "held after claiming 50", "R7");
      context.that(
        claimed.storeTimeMs >= (before?.storeTimeMs as number),
        "the group's time fell back behind what the member was answered",
        "R2",
      );
      context.that(
        claimed.generation > (before?.generation as number),
        "the new membership has no greater generation",
        "R5",
      );
      const newcomer = group.member({ learningMs });
      const joined = await newcomer.join();
      context.that(
        !joined.learning || joined.held === 0,
        "a newcomer was raised before the survivors had time to claim",
      );
      context.equal(
        (await b.join({ rejoin: true, claim: 50, observedMs: b.observedMs })).held,
        50,
        "held of the other survivor",
        "R7",
      );
      context.equal((await newcomer.beat()).held, 0, "held of the newcomer while the survivors hold everything", "R7");
    },
  },
]);

/** Calls during an outage, and the group after it. */
async function outage(context: CaseContext, way: Outage): Promise<void> {
  const { state } = way;
  const group = await context.newGroup();
  const staleAfterMs = context.ms(60_000);
  const [a, b] = [group.member({ staleAfterMs }), group.member({ staleAfterMs })];
  for (const member of [a, b]) await member.join();
  const [before] = await context.agree(a, b);
  const newcomers = Array.from({ length: 3 }, () => group.member());
  const certain: Member[] = [];
  await during(context, way, async () => {
    const calls = [
      settles(context, `sync while the server is ${state}`, a.sync()),
      settles(context, `inspect while the server is ${state}`, group.inspect()),
    ];
    for (const member of newcomers) {
      const noted = member.register().catch((error: { effect?: string }) => {
        if (error.effect === "definite") certain.push(member);
        throw error;
      });
      calls.push(settles(context, `register while the server is ${state}`, noted));
    }
    const failed = (await Promise.all(calls)).some((error) => error !== undefined);
    context.that(failed, `every call succeeded while the server is ${state}: the target's fault has no effect`);
    await settlesGivenUp(context, "a call", (signal) => a.sync({}, signal));
  });
  await answersAgain(context, () => group.inspect());
  const snapshot = await group.inspect();
  for (const member of certain) {
    const there = snapshot.members.some((other) => other.incarnation === member.ref.incarnation);
    context.that(!there, `${member.ref.id} is a member, although its registration failed with effect "definite"`);
  }
  const view = await a.beat();
  context.that(view.generation >= (before?.generation as number), "the group came back with an older generation", "R5");
  await context.until(async () => {
    // A registration that was on its way when the server stopped may arrive late, even after its member's farewell.
    for (const member of newcomers) await member.leave();
    const views = [await a.beat(), await b.beat()];
    return views.every(({ status, members }) => status === "agree" && members === 2) ? true : undefined;
  }, "the members from before the outage do not agree after it");
}
