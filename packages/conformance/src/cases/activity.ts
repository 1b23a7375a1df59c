import type { Activity } from "@dt/core";
import { type CaseDefinition, casesOf } from "../case.ts";
import type { CaseGroup } from "../case-group.ts";
import type { CaseContext } from "../context.ts";
import type { Member } from "../member.ts";

/** The most tokens that anybody may name. */
const MOST = 1e12;

/**
 * R27: what members say that they do. Reports here declare another `max` each time: a store that does not record a
 * heartbeat which changes nothing records these.
 */
export const activity: readonly CaseDefinition[] = casesOf({ rule: "R27", needs: ["ledger"] }, [
  {
    name: "the activity in a member's report is its activity in a snapshot, also when others come and go",
    async run(context) {
      const group = await context.newGroup();
      const [a, b, c] = [group.member(), group.member(), group.member()];
      for (const member of [a, b, c]) await member.join();
      await shows(context, group, [], "before the first report");
      await says(b, 99, { used: 7, waiting: 0 });
      await says(c, 98, { used: 0, waiting: 3 });
      await shows(context, group, [said(b, 7, 0), said(c, 0, 3)], "after two of three members reported what they do");
      await says(a, 97, { used: MOST, waiting: MOST });
      await shows(context, group, [said(a, MOST, MOST), said(b, 7, 0), said(c, 0, 3)], "after the third did, too");
      await a.leave();
      await group.member().join();
      await shows(context, group, [said(b, 7, 0), said(c, 0, 3)], "after one has left and another one has come");
    },
  },
  {
    name: "a member's next report replaces its activity, also where it names none; a registration names none",
    async run(context) {
      const group = await context.newGroup();
      const member = group.member();
      await member.join();
      await says(member, 99, { used: 7, waiting: 3 });
      await says(member, 98, { used: 0, waiting: 0 });
      await shows(context, group, [said(member, 0, 0)], "after a report of 0 and 0");
      await says(member, 97, undefined);
      await shows(context, group, [], "after a report without activity");
      await says(member, 96, { used: 5, waiting: 1 });
      await member.join({ rejoin: true, claim: member.held, max: 95 });
      await shows(context, group, [], "after another registration");
    },
  },
  {
    name: "a report that arrives twice, or after a newer one, leaves its member's activity as it was",
    async run(context) {
      const group = await context.newGroup();
      const member = group.member();
      await member.join();
      await member.beat();
      const lateSeq = member.seq;
      await says(member, 99, { used: 7, waiting: 3 });
      for (const [seq, which] of [
        [member.seq, "with the last number again"],
        [lateSeq, "that came late"],
      ] as const) {
        const report = member.report({ seq, max: 90, activity: { used: 1, waiting: 1 } });
        await group.store.sync(group.name, member.ref, report);
        await shows(context, group, [said(member, 7, 3)], `after a report ${which}`);
      }
    },
  },
  {
    name: "who does nothing holds as much as who does all and has callers that wait: it decides nothing",
    async run(context) {
      const { group, a, b } = await context.joinedPair();
      const [idle, busy] = [
        { used: 0, waiting: 0 },
        { used: MOST, waiting: MOST },
      ];
      for (const [max, ofA, ofB] of [
        [90, idle, busy],
        [80, busy, idle],
      ] as const) {
        for (let round = 0; round < 3; round++) {
          await a.beat({ max, activity: ofA });
          await b.beat({ max, activity: ofB });
        }
        const { members, held } = await group.inspect();
        context.equal(held, max, `sum of what two members hold of ${max}`);
        for (const member of members) context.equal(member.held, max / 2, `held of one of two members, of ${max}`);
        context.equal((await a.beat({ max, activity: ofB })).status, "agree", "status where only what is done changed");
      }
    },
  },
]);

/** Reports, with another max than before. */
async function says(member: Member, max: number, activity_: Activity | undefined): Promise<void> {
  await member.beat({ max, ...(activity_ && { activity: activity_ }) });
}

/** What is to be seen of a member. */
function said({ ref }: Member, used: number, waiting: number): string {
  return `${ref.id} used ${used}, ${waiting} waiting`;
}

/** Looks whether the snapshot says this of these members, and nothing of others. */
async function shows(context: CaseContext, group: CaseGroup, expected: readonly string[], when: string): Promise<void> {
  const { members } = await group.inspect();
  const shown = members.flatMap(({ id, used, waiting }) =>
    used === undefined && waiting === undefined ? [] : [`${id} used ${used}, ${waiting} waiting`],
  );
  context.equal(JSON.stringify(shown.sort()), JSON.stringify([...expected].sort()), `what members do, ${when}`);
}
