import { type CaseDefinition, casesOf } from "../../case.ts";
import { type Demander, type DemandGroup, demandGroup } from "../../demand/demand-group.ts";
import type { Member } from "../../member.ts";

/** The part of its turn that a member rests for each that waits for one. */
const REST_PART = 0.9;
/** Rounds of reports for each member in which it must have had two turns. */
const ROUNDS = 12;

/** R23: tokens that cannot be divided go round. */
export const demandTurns: readonly CaseDefinition[] = casesOf({ rule: "R23", needs: ["ledger", "demand"] }, [
  {
    name: "where tokens are left over above the water level, as many members have one more, and know it",
    async run(context) {
      for (const { max, level, odd } of [
        { max: 11, level: 3, odd: 2 },
        { max: 2, level: 0, odd: 2 },
        { max: 9, level: 3, odd: 0 },
      ]) {
        const group = await demandGroup(context, { max });
        const members = await group.joined(100, 100, 100);
        await group.settle(...members);
        await group.settle(...members);
        const held = members.map(({ member }) => member.held).sort((x, y) => y - x);
        const expected = [0, 1, 2].map((place) => level + (place < odd ? 1 : 0));
        context.equal(held.join(" "), expected.join(" "), `what each of three may use of ${max}, the most first`);
        for (const { member, view } of members)
          if (view)
            group.shows(
              view,
              { waterLevel: level, odd: member.held > level },
              `to one that holds ${member.held} of ${max}`,
            );
      }
    },
  },
  {
    name: "who gives its odd token up rests, for as long as the others need for their turns",
    why: "it would take it back at once, and the others never have it",
    async run(context) {
      for (const { max, level, others } of [
        { max: 1, level: 0, others: 2 },
        { max: 2, level: 0, others: 0.5 },
        { max: 10, level: 3, others: 2 },
      ]) {
        const { group, turn } = await someoneHasATurn(context, max, level);
        const gave = await turn.beat({ held: level, use: notUsed(group, turn) });
        const restMs = REST_PART * others * group.syncMs * Math.max(1, level);
        group.shows(gave, { odd: false }, "to one that gave its odd token up");
        context.equal(gave.held, level, "held of one that gave its odd token up");
        for (const part of [0.3, 0.7, 0.95, 1]) {
          group.timeMs = Math.max(group.timeMs, gave.storeTimeMs + part * restMs + (part < 1 ? 0 : 1));
          const view = await turn.beat();
          const passedMs = view.storeTimeMs - gave.storeTimeMs;
          const hasOne = passedMs >= restMs;
          const when = `${passedMs} ms after it gave its odd token up, where it rests for ${restMs} ms`;
          context.equal(view.held, level + (hasOne ? 1 : 0), `held of a member ${when}`);
          group.shows(view, { odd: hasOne }, when);
          if (hasOne) break;
        }
      }
    },
  },
  {
    name: "while one rests the token goes to another one",
    async run(context) {
      const { group, members, turn } = await someoneHasATurn(context, 10, 3);
      await turn.beat({ held: 3, use: notUsed(group, turn) });
      const next = members.find((member) => member !== turn) as Demander;
      context.equal((await turn.beat()).held, 3, "held of one that rests");
      context.equal((await next.beat()).held, 4, "held of another one that asks meanwhile");
      group.shows(next.view ?? turn.view ?? (await next.beat()), { odd: true }, "to the one whose turn it is");
    },
  },
  {
    name: "a token that lies idle goes to any member that gave none up for an interval, rested or not",
    why: "it would be lost for as long as the others want nothing",
    async run(context) {
      for (const used of [0, 1]) {
        const { group, turn } = await someoneHasATurn(context, 1, 0, { syncMs: context.ms(300_000) });
        const { intervalMs } = turn.member.options;
        const epoch = Math.floor(group.timeMs / intervalMs) + 1;
        group.timeMs = epoch * intervalMs;
        const gave = await turn.beat({ held: 0, use: { epoch, used } });
        for (const part of [0.5, 1, 1.5]) {
          group.timeMs = Math.max(group.timeMs, gave.storeTimeMs + part * intervalMs);
          const view = await turn.beat();
          const isOver = view.storeTimeMs - gave.storeTimeMs >= intervalMs;
          const when = `${view.storeTimeMs - gave.storeTimeMs} ms after it gave one up ${used ? "used" : "unused"}, in intervals of ${intervalMs} ms`;
          context.equal(view.held, isOver && used === 0 ? 1 : 0, `held of one that rests ${when}`);
          if (view.held > 0) break;
        }
      }
    },
  },
  {
    name: "no member has a turn while one starves",
    why: "who has less than all others comes first",
    async run(context) {
      const group = await demandGroup(context, { max: 10 });
      const members = await group.joined(100, 100, 100);
      const [a, b, c] = members;
      await a.beat({ held: 3 });
      await b.beat();
      context.equal(b.member.held, 3, "held of one that wants 104 where three share 10 and one starved");
      await c.beat();
      context.equal(c.member.held, 3, "held of the third one after that");
      context.equal((await a.beat()).held, 3, "held of the first one, where one is free and a member starved");
      group.forgetHunger();
      context.equal(
        (await a.beat()).held,
        4,
        "held of the first one, where one is free and no member starves any more",
      );
    },
  },
  {
    name: "a turn has only who wants more than the water level, and holds just that",
    async run(context) {
      const group = await demandGroup(context, { max: 10 });
      const [a, b, c] = await group.joined(3, 100, 100);
      await b.beat({ held: 0 });
      for (const member of [a, b, c]) {
        group.forgetHunger();
        await member.beat({ held: 0 });
      }
      const total = a.member.held + b.member.held + c.member.held;
      context.equal(total, 10, "what three may use of 10");
      context.equal(a.member.held, 3, "held of one that wants 3, which is the water level");
      context.equal((await b.beat()).held, 4, "held of one that wants 104, and has its turn");
      group.forgetHunger();
      await c.beat({ held: 2 });
      await b.beat({ held: 4 });
      context.equal(b.member.held, 4, "held of one that has an odd token, where one more is free");
      context.equal((await c.beat({ held: 2 })).held, 3, "held of one that had an odd token, and rests");
    },
  },
  {
    name: "where there is plenty no member has an odd token: its holder has none any more once it gives something up",
    async run(context) {
      const { group, members, turn } = await someoneHasATurn(context, 10, 3);
      const others = members.filter((member) => member !== turn);
      for (const other of others) {
        other.want = 1;
        await other.beat({ held: 1 });
      }
      turn.want = 4;
      const view = await turn.beat({ held: 3 });
      group.shows(view, { odd: false, waterLevel: 10 }, "to one that gave its odd token up where there is plenty");
      turn.want = 100;
      for (const other of others) other.want = 100;
      for (const other of others) await other.beat({ held: 1 });
      group.forgetHunger();
      const again = await turn.beat({ held: 3 });
      context.equal(again.held, 4, "held of one that did not rest, since no member waited for its token");
    },
  },
  {
    name: "where the even part is 0, those that share evenly have turns beside one that shares by demand",
    why: "no member agrees there, so that they would have nothing for ever",
    async run(context) {
      for (const { max, evens: count } of [
        { max: 1, evens: 1 },
        { max: 2, evens: 2 },
        { max: 3, evens: 5 },
      ]) {
        const group = await demandGroup(context, { max });
        const [a] = await group.joined(100);
        const evens: Member[] = [];
        while (evens.length < count) evens.push(await group.even());
        const { intervalMs } = a.member.options;
        const turns = evens.map(() => 0);
        let round = 0;
        for (; turns.some((had) => had < 2) && round < ROUNDS * count; round++) {
          group.pass(intervalMs);
          const epoch = Math.floor(group.timeMs / intervalMs);
          // It has had its turn with every other report.
          await a.beat({ held: round % 2 === 0 ? 0 : a.kept, use: { epoch, used: a.member.held } });
          for (const [place, even] of evens.entries()) {
            const { held: used } = even;
            const { held } = await group.beat(even, { use: { epoch, used } });
            context.that(held <= 1, `one that shares evenly holds ${held} of ${max}, and its even part is 0`, "R22");
            if (used === 0 && even.held > 0) turns[place] = (turns[place] as number) + 1;
          }
        }
        context.equal(
          turns.map((had) => Math.min(had, 2)).join(" "),
          turns.map(() => 2).join(" "),
          `turns (2 at most) of those that share evenly, of ${max}, in ${round} rounds of reports`,
        );
      }
    },
  },
]);

/** Three that want more than there is, one of which has the only odd token; or one of two where there are fewer. */
async function someoneHasATurn(
  context: Parameters<CaseDefinition["run"]>[0],
  max: number,
  level: number,
  options: { readonly syncMs?: number } = {},
): Promise<{ readonly group: DemandGroup; readonly members: readonly Demander[]; readonly turn: Demander }> {
  const group = await demandGroup(context, { max, intervalMs: context.ms(60_000), ...options });
  const members = await group.joined(100, 100, 100);
  await group.settle(...members);
  await group.settle(...members);
  const turn = members.find(({ view }) => view?.demand.odd);
  const held = members.map(({ member }) => member.held).join(" ");
  if (!turn) context.fail(`none of three has an odd token that want 104 each of ${max}; they hold ${held}`);
  context.equal(turn.member.held, level + 1, `held of one that has an odd token, of ${max}`);
  return { group, members, turn };
}

/** What one says that used nothing of its newest epoch. */
function notUsed(group: DemandGroup, { member }: Demander): { readonly epoch: number; readonly used: number } {
  return { epoch: Math.floor(group.timeMs / member.options.intervalMs), used: 0 };
}
