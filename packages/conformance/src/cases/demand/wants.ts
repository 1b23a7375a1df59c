import { type CaseDefinition, casesOf } from "../../case.ts";
import { SHORT_MS } from "../../context.ts";
import { demandGroup } from "../../demand/demand-group.ts";

/** Said, and as the ledger has it. */
const ON_GRID: readonly (readonly [said: number, want: number])[] = [
  [0, 0],
  [1, 1],
  [15, 15],
  [16, 16],
  [17, 18],
  [31, 32],
  [33, 36],
  [1_000, 1_024],
  [1_025, 1_152],
  [1_000_000, 1_048_576],
  [1e12, 1_030_792_151_040],
];

const NOT_COUNTS = [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, 1e12 + 1, "10", null, undefined];
const NOT_DURATIONS = [0, -1, Number.NaN, Number.POSITIVE_INFINITY, 1e300, "10", null, undefined];
const NOT_DEMANDS: readonly unknown[] = [
  null,
  10,
  "10",
  true,
  ...NOT_COUNTS.map((want) => ({ want, syncMs: 1_000 })),
  ...NOT_DURATIONS.map((syncMs) => ({ want: 10, syncMs })),
];

/** R21: what is counted of what members want, and how the capacity is divided by it. */
export const wants: readonly CaseDefinition[] = casesOf({ rule: "R21", needs: ["ledger", "demand"] }, [
  {
    name: "one that wants everything is due what the others do not want, and these all that they want",
    why: "otherwise the busy one waits for tokens that no member uses",
    async run(context) {
      const group = await demandGroup(context);
      const members = await group.joined(1_000, 5, 5, 5, 5);
      await group.settle(...members);
      group.holds(members, [80, 5, 5, 5, 5], "where one wants 1,000 of 100, and four want 5 each");
      for (const { view } of members)
        if (view) group.shows(view, { waterLevel: 80, reserve: 0, extra: 0, odd: false }, "where 80 are left for one");
    },
  },
  {
    name: "where all want more than there is, each is due the same; those that want less are due what they want",
    async run(context) {
      const group = await demandGroup(context, { max: 90 });
      const members = await group.joined(60, 70, 80);
      await group.settle(...members);
      group.holds(members, [30, 30, 30], "where three want 60, 72 and 80 of 90");
      const [a, b, c] = members;
      a.want = 10;
      await group.settle(a, b, c);
      group.holds(members, [10, 40, 40], "where three want 10, 72 and 80 of 90");
      group.shows(await b.beat(), { waterLevel: 40 }, "where two share what one leaves of 90");
      group.shows(await group.demander(50).join(), { waterLevel: 26 }, "where three share 80 of 90");
    },
  },
  {
    name: "half of the tokens that no member wants go on top of the wants, the same to each; the other half stays free",
    async run(context) {
      const group = await demandGroup(context);
      const members = await group.joined(10, 10, 10, 10);
      group.forgetHunger();
      for (const member of members) await member.beat({ held: 0 });
      group.holds(members, [17, 17, 17, 17], "where four want 10 each of 100");
      const expected = { waterLevel: 100, reserve: 0, extra: 7, tight: false, hungry: false };
      group.shows(await members[0].beat(), expected, "where 60 of 100 are wanted by no member");
    },
  },
  {
    name: "a fiftieth of the capacity is due to all, whether they want it or not",
    why: "one that was idle starts with it, without having to wait for others to give something up",
    async run(context) {
      const group = await demandGroup(context, { max: 1_000 });
      const members = await group.joined(5_000, 0, 0, 3);
      await group.settle(...members);
      group.holds(members, [985, 5, 5, 5], "where one wants 5,000 of 1,000, two nothing, and one 3");
      group.shows(await members[1].beat(), { waterLevel: 985, reserve: 5, extra: 0 }, "where 20 of 1,000 are for all");
    },
  },
  {
    name: "where a fiftieth is less than a token for each, it is kept free, at most as much as there are members that want nothing",
    async run(context) {
      const group = await demandGroup(context, { max: 250 });
      const members = await group.joined(900, 0, 0, 0, 20, 0);
      await group.settle(...members);
      group.holds(members, [226, 0, 0, 0, 20, 0], "where one wants 900 of 250, one 20 and four nothing");
      group.shows(await members[0].beat(), { waterLevel: 226, reserve: 0 }, "where 4 of 250 are kept for four");
      const [, b, c, d] = members;
      for (const member of [b, c, d]) await member.leave();
      await group.settle(members[0], members[4], members[5]);
      group.holds([members[0], members[4]], [229, 20], "where one is left that wants nothing");
      group.shows(await members[0].beat(), { waterLevel: 229, reserve: 1 }, "where a token is due to each of three");
    },
  },
  {
    name: "a want counts once for each member, however often it is reported, and as it was reported last",
    why: "a count that only grows would leave less and less to all",
    async run(context) {
      const group = await demandGroup(context);
      const [a, b] = await group.joined(30, 200);
      const level = async (expected: number, when: string): Promise<void> =>
        group.shows(await b.beat(), { waterLevel: expected }, when);
      await level(70, "of 100 where another one wants 30");
      for (let times = 0; times < 5; times++) await a.beat();
      await level(70, "of 100 after another one reported five times more that it wants 30");
      for (a.want of [60, 1, 44, 20]) await a.beat();
      await level(80, "of 100 where another one wanted more and less, and now 20");
      const late = a.member.report({ held: 0, demand: { want: 90, syncMs: a.syncMs } });
      for (const seq of [a.member.seq, a.member.seq - 1])
        await group.group.store.sync(group.group.name, a.member.ref, { ...late, seq });
      await level(80, "of 100 after a report that wants 96 came twice, and late");
      await a.join({ claim: a.member.held });
      await level(80, "of 100 after another one registered again while it was a member");
    },
  },
  {
    name: "what a member wanted that left counts no more",
    async run(context) {
      const group = await demandGroup(context);
      const [a, b, c] = await group.joined(200, 30, 30);
      group.shows(await a.beat(), { waterLevel: 40 }, "of 100 where two others want 30 each");
      await b.leave();
      group.shows(await a.beat(), { waterLevel: 70 }, "of 100 where one is left that wants 30");
      await b.leave();
      group.shows(await a.beat(), { waterLevel: 70 }, "of 100 after a second farewell of the other one");
      await c.leave();
      group.shows(await a.beat(), { waterLevel: 100, extra: 0 }, "of 100 where no other member is left");
    },
  },
  {
    name: "what a member wanted that went stale counts no more",
    why: "a crashed process would withhold tokens from the others that it cannot use itself",
    async run(context) {
      const group = await demandGroup(context);
      const [a] = await group.joined(200);
      const silent = group.demander(30, { staleAfterMs: context.ms(SHORT_MS) });
      await silent.join();
      group.shows(await a.beat(), { waterLevel: 70 }, "of 100 where another one wants 30");
      const view = await context.until(async () => {
        const now = await a.beat();
        return now.members === 1 ? now : undefined;
      }, "a silent member is not removed");
      group.shows(view, { waterLevel: 100 }, "of 100 where the other one is gone");
      group.shows(await a.beat(), { waterLevel: 100 }, "of 100 later");
      group.shows(
        await group.demander(25).join(),
        { waterLevel: 74 },
        "of 100 where one wants 208, one 26, and one is gone",
      );
    },
  },
  {
    name: "wants stand on a grid: whole numbers to 16, then eight steps to a doubling, rounded up",
    why: "few different wants make a cheap count, and a change of a few percent changes nothing",
    async run(context) {
      const group = await demandGroup(context);
      const [a] = await group.joined(0);
      for (const [said, want] of ON_GRID) {
        a.want = said;
        await a.beat();
        const [member] = (await group.group.inspect()).members;
        context.equal(member?.want, want, `want in the snapshot of a member that reports ${said}`);
      }
    },
  },
  {
    name: "a want without bounds is due no more than another one that is not met, and others all that they want",
    why: "one process that lies, or counts wrongly, must not take what is the others'",
    async run(context) {
      for (const boundless of [1e9, 1e12]) {
        const group = await demandGroup(context, { max: 101 });
        const members = await group.joined(boundless, 10, 40, 0);
        await group.settle(...members);
        group.holds(members, [50, 10, 40, 0], `where one wants ${boundless} of 101, others 10, 40 and nothing`);
        members[2].want = 400;
        await group.settle(...members);
        group.holds(members, [45, 10, 45, 0], `where one wants ${boundless} of 101, others 10, 400 and nothing`);
      }
    },
  },
  {
    name: "a want that is no number of tokens is refused, and changes nothing",
    async run(context) {
      const group = await demandGroup(context);
      const [a, b] = await group.joined(30, 200);
      const { store, name } = group.group;
      for (const demand of NOT_DEMANDS) {
        const said = { demand } as { readonly demand: { readonly want: number; readonly syncMs: number } };
        const shown = typeof demand === "object" && demand !== null ? parts(demand) : String(demand);
        const report = store.sync(name, a.member.ref, { ...a.member.report({ seq: 99 }), ...said });
        await context.refused(report, ["DT_INVALID_OPTION"], `a report with demand ${shown}`);
        const registration = { ...a.member.registration({ seq: 99 }), ...said };
        await context.refused(
          store.register(name, registration),
          ["DT_INVALID_OPTION"],
          `a registration with demand ${shown}`,
        );
      }
      group.shows(await b.beat(), { waterLevel: 70 }, "of 100 after all that, where another one wants 30");
      context.equal((await group.group.inspect()).memberCount, 2, "member count after all that");
    },
  },
  {
    name: "one that shares evenly is due the even part and counts for no want; it may change from one to the other",
    async run(context) {
      const group = await demandGroup(context);
      const [a, b] = await group.joined(500, 5);
      const evens = [await group.even(), await group.even()];
      await group.settle(a, b, ...evens);
      group.holds([a, b, ...evens], [45, 5, 25, 25], "of 100 where two share evenly, one wants 5 and one 500");
      group.shows(await a.beat(), { waterLevel: 45 }, "where 50 are left for a want of 5 and one of 500");
      const snapshot = await group.group.inspect();
      const shown = snapshot.members.map(({ want }) => want ?? "evenly").join(" ");
      context.equal(shown, "512 5 evenly evenly", "wants in the snapshot, by rank");
      await group.beat(b.member, { held: 5 });
      group.shows(await a.beat(), { waterLevel: 25 }, "of 100 where three of four share evenly");
      await b.beat();
      group.shows(await a.beat(), { waterLevel: 45 }, "of 100 where one of three wants 5 again");
    },
  },
]);

function parts(value: object): string {
  const shown = Object.entries(value).map(([name, part]) => `${name}: ${String(part)}`);
  return `{ ${shown.join(", ")} }`;
}
