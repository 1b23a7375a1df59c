import { type CoordinationStore, isDtError, type View } from "@dt/core";
import { type CaseDefinition, casesOf } from "../case.ts";
import type { CaseGroup } from "../case-group.ts";
import { type CaseContext, SHORT_MS } from "../context.ts";
import { isMemberView, type Member } from "../member.ts";

/** R18: rows that somebody else wrote, spoiled or deleted. */
export const damage: readonly CaseDefinition[] = casesOf({ rule: "R18", needs: ["ledger", "spoilMember"] }, [
  {
    name: "a damaged group agrees again by itself, once shares that are on record no more have ended",
    async run(context) {
      const staleAfterMs = context.ms(SHORT_MS);
      const { group, members } = await agreed(context, { staleAfterMs });
      await context.target.damage?.spoilMember?.(group.name, (members[1] as Member).ref);
      await context.until(async () => {
        const views: View[] = [];
        for (const member of members) views.push((await comeBack(context, group.store, member)).view);
        return views.every((view) => view.status === "agree" && view.members === 2) ? true : undefined;
      }, "the members of a group of which one row was damaged never agree again");
    },
  },
  {
    name: "a damaged row of a member frees nothing: its share is given to no other member while it may be in use",
    why: "the member is alive, and goes on using its share until it is answered that it is not on record",
    run: (context) =>
      givesNothingAway(context, async (group, [, second]) => {
        await context.target.damage?.spoilMember?.(group, second.ref);
      }),
  },
  {
    name: "a damaged row of a group frees nothing: its members claim first",
    needs: ["ledger", "spoilGroup"],
    run: (context) =>
      givesNothingAway(context, async (group) => {
        await context.target.damage?.spoilGroup?.(group);
      }),
  },
  {
    name: "a group whose own row is missing beside its members frees nothing: they claim first",
    needs: ["ledger", "deleteGroup"],
    run: (context) =>
      givesNothingAway(context, async (group) => {
        await context.target.damage?.deleteGroup?.(group);
      }),
  },
  {
    name: "a wrong sum of what is held is counted anew when the membership changes",
    needs: ["ledger", "spoilSums"],
    run: (context) =>
      givesNothingAway(context, async (group) => {
        await context.target.damage?.spoilSums?.(group);
      }),
  },
  {
    name: "what a newer version wrote is refused, and left as it is",
    why: "while a fleet is updated, old processes would undo what the new ones write",
    needs: ["ledger", "makeNewer"],
    // Where the version is that of the whole database.
    alone: true,
    async run(context) {
      const { group } = await agreed(context);
      const other = await context.client();
      const before = await group.inspect();
      const newcomer = context.member(other, group.name, { max: 12 });
      const restore = await context.target.damage?.makeNewer?.(group.name);
      context.note("the group is of a newer version");
      try {
        const refused = (call: string, answer: Promise<unknown>) =>
          context.refused(answer, ["DT_STORE_DATA"], `${call} in a group of a newer version`);
        await refused("register", newcomer.register());
        await refused("inspect", other.inspect(group.name));
        if (context.canRepair(other)) await refused("repair", other.repair(group.name));
      } finally {
        await restore?.();
      }
      context.note("the group is as it was");
      const after = await group.inspect();
      context.equal(ledgerOf(after), ledgerOf(before), "the group after calls that were refused");
    },
  },
  {
    name: "repair finds nothing in a sound group, and changes nothing",
    needs: ["ledger"],
    async run(context) {
      const store = context.repairs(await context.store());
      const { group } = await agreed(context);
      const before = await group.inspect();
      for (const [name, members] of [
        [group.name, 2],
        [context.group(), 0],
      ] as const) {
        const report = await store.repair(name);
        context.equal(report.found.join("; "), "", "what a repair finds in a sound group");
        context.equal(report.members, members, "members that are left");
        context.equal(report.reset, false, "whether the members were forgotten");
      }
      context.equal(ledgerOf(await group.inspect()), ledgerOf(before), "the group after a repair");
      await context.refused(store.repair(""), ["DT_INVALID_OPTION"], "repair of a group without a name");
      const misspelt: object = { rset: true };
      await context.refused(store.repair(group.name, misspelt), ["DT_INVALID_OPTION"], "repair with an unknown option");
    },
  },
  {
    name: "repair reports what was damaged, and leaves nothing of it",
    async run(context) {
      const store = context.repairs(await context.store());
      const { group, members } = await agreed(context);
      await context.target.damage?.spoilMember?.(group.name, (members[1] as Member).ref);
      const { found } = await store.repair(group.name);
      context.that(
        found.length > 0 && found.every((finding) => typeof finding === "string" && finding !== ""),
        `a repair of a damaged group found ${JSON.stringify(found)}; it states in a sentence what was wrong`,
      );
      context.equal((await store.repair(group.name)).found.join("; "), "", "what a second repair finds");
      const { learning } = await group.inspect();
      context.equal(learning, true, "learning after a repair that forgot a member");
    },
  },
  {
    name: "a reset forgets the members of a living group, who claim what they use, in a higher generation",
    needs: ["ledger"],
    async run(context) {
      const store = context.repairs(await context.store());
      await givesNothingAway(context, async (group, [first, second]) => {
        const { generation } = await store.inspect(group);
        const report = await store.repair(group, { reset: true });
        context.equal(report.members, 0, "members that are left by a reset");
        context.equal(report.reset, true, "whether the members were forgotten");
        const after = await store.inspect(group);
        context.equal(after.memberCount, 0, "members in inspect after a reset");
        context.that(after.generation > generation, "the generation after a reset is no higher one");
        for (const member of [first, second])
          context.equal((await member.sync()).status, "unknown", "status of a member after a reset");
      });
    },
  },
]);

type Two = readonly [Member, Member];

/** Two members that agree on 12 tokens, 6 each. */
async function agreed(
  context: CaseContext,
  options: { readonly staleAfterMs?: number } = {},
): Promise<{ group: CaseGroup; members: Two }> {
  const group = await context.newGroup();
  const members: Two = [group.member({ max: 12, ...options }), group.member({ max: 12, ...options })];
  for (const member of members) await member.join();
  await context.agree(...members);
  return { group, members };
}

/**
 * Whatever is done to a group whose two members use everything: a newcomer gets nothing of it, they keep it, and the
 * ledger adds up.
 */
async function givesNothingAway(
  context: CaseContext,
  spoil: (group: string, members: Two) => Promise<void>,
): Promise<void> {
  const { group, members } = await agreed(context);
  // A process of its own, that has not looked at the group yet.
  const newcomer = context.member(await context.client(), group.name, { max: 12 });
  await spoil(group.name, members);
  context.note("the group is no longer as its members left it");
  const joined = await mended(context, group.store, group.name, () => newcomer.join());
  context.equal(joined.held, 0, "held of a newcomer while two others use everything");
  const returns: Return[] = [];
  for (const member of members) returns.push(await comeBack(context, group.store, member));
  const view = await newcomer.beat();
  context.equal(view.held, 0, "held of the newcomer after the others came back");
  if (returns.some(({ isForgotten }) => isForgotten))
    context.equal(view.learning, true, "learning of a group in which a member is on record no more");
  const held = (await group.inspect()).members.map((member) => member.held);
  context.equal(held.sort().join(" "), "0 6 6", "what the newcomer and the others hold");
}

export interface Return {
  readonly view: View;
  /** True when the member was not on record any more. */
  readonly isForgotten: boolean;
}

/** A heartbeat; whoever is on record no more registers again and claims what it uses. */
export async function comeBack(context: CaseContext, store: CoordinationStore, member: Member): Promise<Return> {
  const claim = member.held;
  const view = await mended(context, store, member.group, () => member.sync());
  if (isMemberView(view)) return { view, isForgotten: false };
  context.equal(view.status, "unknown", "status of a member after its group was damaged", "R3");
  const { observedMs } = member;
  const join = (): Promise<View> => member.join({ rejoin: true, claim, observedMs });
  return { view: await mended(context, store, member.group, join), isForgotten: true };
}

/** What a call answers: at once where the group heals by itself; otherwise after the remedy that the error names. */
export async function mended<T>(
  context: CaseContext,
  store: CoordinationStore,
  group: string,
  call: () => Promise<T>,
): Promise<T> {
  for (const reset of [false, true]) {
    try {
      return await call();
    } catch (error) {
      if (!isDtError(error, "DT_STORE_DATA")) throw error;
      context.that(/repair/i.test(error.message), `the error about damaged data names no remedy: ${error.message}`);
      if (!context.canRepair(store)) context.fail("the error about damaged data asks for a repair() that there is not");
      context.note(`the remedy that the error names is used: ${error.message}`);
      await store.repair(group, { reset });
    }
  }
  return call();
}

function ledgerOf({ generation, capacity, held, members }: Awaited<ReturnType<CoordinationStore["inspect"]>>): string {
  return JSON.stringify([generation, capacity, held, members.map((member) => [member.id, member.rank, member.held])]);
}
