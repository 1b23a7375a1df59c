import type { CoordinationStore, MemberView } from "@dt/core";
import { type CaseDefinition, casesOf } from "../case.ts";
import type { CaseContext } from "../context.ts";

/** Longer than a case runs. */
const PAUSE_MS = 600_000;
const DAY_MS = 86_400_000;

/** Sums of times are rounded, far below what matters. */
const ROUNDING_MS = 0.01;

/** R35: the pause of a whole group. */
export const pauses: readonly CaseDefinition[] = casesOf({ rule: "R35", needs: ["ledger"] }, [
  {
    name: "what is left of a pause is answered to the member that asked, to the others, to newcomers, and to a look at the group",
    async run(context) {
      const { group, a, b } = await context.joinedPair();
      await context.agree(a, b);
      for (const member of [a, b]) context.equal(leftOf(await member.beat()), 0, "pause before any was asked for");
      const asked = await a.beat({ pauseMs: PAUSE_MS });
      context.that(
        leftOf(asked) >= PAUSE_MS - ROUNDING_MS && leftOf(asked) <= PAUSE_MS + context.clockErrorMs + ROUNDING_MS,
        `a pause of ${PAUSE_MS} ms is answered as one of ${leftOf(asked)} ms`,
      );
      const endMs = endOf(asked);
      const newcomer = group.member();
      for (const [view, whom] of [
        [await b.beat(), "another member"],
        [await a.beat(), "the member that asked, with its next report"],
        [await newcomer.join(), "a newcomer"],
        [await newcomer.beat(), "a newcomer, with its first report"],
      ] as const)
        sameEnd(context, view, endMs, `as it is answered to ${whom}`);
      const { storeTimeMs, pausedForMs = 0 } = await group.inspect();
      near(context, storeTimeMs + pausedForMs, endMs, "end of a pause in a snapshot");
    },
  },
  {
    name: "a pause ends at the latest of the ends that were asked for",
    async run(context) {
      const { a, b } = await context.joinedPair();
      const endMs = endOf(await a.beat({ pauseMs: PAUSE_MS }));
      sameEnd(context, await b.beat({ pauseMs: PAUSE_MS / 2 }), endMs, "after another member asked for a shorter one");
      sameEnd(context, await a.beat({ pauseMs: 0 }), endMs, "after the same member asked for none");
      const longer = await b.beat({ pauseMs: 2 * PAUSE_MS });
      context.that(leftOf(longer) >= 2 * PAUSE_MS - ROUNDING_MS, "a longer pause does not take the place of a shorter");
      sameEnd(context, await a.beat(), endOf(longer), "after another member asked for a longer one");
    },
  },
  {
    name: "a pause is over by itself, at its end and not before",
    async run(context) {
      const { group, a, b } = await context.joinedPair();
      const endMs = endOf(await a.beat({ pauseMs: PAUSE_MS }));
      // The group's time goes on, since a member has observed it (R2).
      near(context, leftOf(await b.beat({ observedMs: endMs - 5 })), 5, "what is left of a pause, 5 ms before its end");
      const after = await b.beat({ observedMs: endMs + 1 });
      context.equal(leftOf(after), 0, "pausedForMs in an answer after the end of the pause");
      context.equal(leftOf(await group.inspect()), 0, "pausedForMs in a snapshot after the end");
    },
  },
  {
    name: "a pause is of a day at most, whatever was asked for",
    async run(context) {
      const group = await context.newGroup();
      const member = group.member();
      await member.join();
      for (const pauseMs of [DAY_MS + 1, 1e12]) {
        const left = leftOf(await member.beat({ pauseMs }));
        const isDay = left <= DAY_MS + ROUNDING_MS && left >= DAY_MS - ROUNDING_MS;
        context.that(isDay, `a pause of ${pauseMs} ms was asked for, and ${left} ms are answered`);
      }
    },
  },
  {
    name: "a report that arrives twice moves the end of its pause by no more than its delay",
    async run(context) {
      const { group, a } = await context.joinedPair();
      const first = await a.beat({ pauseMs: PAUSE_MS });
      const late = a.report({ seq: a.seq, pauseMs: PAUSE_MS });
      for (let again = 0; again < 3; again++) {
        const view = (await group.store.sync(group.name, a.ref, late)) as MemberView;
        const delayMs = view.storeTimeMs - first.storeTimeMs;
        const byMs = endOf(view) - endOf(first);
        context.that(
          byMs >= -ROUNDING_MS && byMs <= delayMs + ROUNDING_MS,
          `a report that came again after ${delayMs} ms moved the end of the pause by ${byMs} ms`,
        );
      }
    },
  },
  {
    name: "a pause goes on when the member that asked has left, and in a group without members",
    async run(context) {
      const { group, a, b } = await context.joinedPair();
      const endMs = endOf(await a.beat({ pauseMs: PAUSE_MS }));
      await a.leave();
      sameEnd(context, await b.beat(), endMs, "after the member that asked has left");
      await b.leave();
      sameEnd(context, await group.member().join(), endMs, "after all members have left");
    },
  },
  {
    name: "only a report of a member asks for a pause",
    async run(context) {
      const { group, a } = await context.joinedPair();
      const stranger = group.member();
      const refused = await stranger.sync({ pauseMs: PAUSE_MS });
      context.equal(refused.status, "unknown", "status of the answer to a stranger", "R3");
      context.equal(leftOf(await a.beat()), 0, "pausedForMs after a stranger asked for a pause");
    },
  },
  {
    name: "members of a paused group are raised, and agree, as without the pause",
    why: "when the pause is over the members go on at once",
    async run(context) {
      const { group, a, b } = await context.joinedPair();
      await a.beat({ pauseMs: PAUSE_MS });
      const c = group.member();
      await c.join();
      const members = [a, b, c];
      let statuses: string[] = [];
      for (let round = 0; round < 4; round++) {
        const views: MemberView[] = [];
        for (const member of members) views.push(await member.beat());
        statuses = views.map(({ status }) => status);
      }
      context.equal(statuses.join(), "agree,agree,agree", "what three members of a paused group are answered");
      for (const { held } of members) context.that(held >= 33, `a member of three holds ${held} of 100 in a pause`);
    },
  },
  {
    name: "a reset of the group ends its pause",
    async run(context) {
      const { group, a } = await context.joinedPair();
      await a.beat({ pauseMs: PAUSE_MS });
      await context.repairs(group.store).repair(group.name, { reset: true });
      const view = await a.join({ rejoin: true, claim: 0 });
      context.equal(leftOf(view), 0, "pausedForMs after a reset");
    },
  },
  {
    name: "listeners are called about a pause soon after it was set or lengthened, and about nothing else",
    why: "members that do not listen for anything else stop at once",
    needs: ["ledger", "hints"],
    async run(context) {
      const { group, a } = await context.joinedPair();
      let heard: (string | undefined)[] = [];
      const listening = group.store as CoordinationStore & Required<Pick<CoordinationStore, "onHint">>;
      const stop = await listening.onHint(group.name, (about) => void heard.push(about));
      const soon = async (): Promise<void> => {
        for (let wait = 0; wait < 20 && heard.length === 0; wait++) await context.sleep(context.ms(20));
      };
      const other = group.member();
      await context.until(async () => {
        heard = [];
        await other.join({ rejoin: other.seq > 0 });
        await other.leave();
        await soon();
        return heard.length > 0 ? true : undefined;
      }, "a listener is never called although a member joined or left");
      context.that(!heard.includes("pause"), "a listener is called about a pause where a member joined or left");
      let pauseMs = PAUSE_MS;
      await context.until(async () => {
        heard = [];
        pauseMs += 5_000;
        await a.beat({ pauseMs });
        await soon();
        return heard.includes("pause") ? true : undefined;
      }, "a listener is never called about a pause although one was set and lengthened");
      stop();
    },
  },
]);

function leftOf({ pausedForMs = 0 }: Pick<MemberView, "pausedForMs">): number {
  return pausedForMs;
}

/** When the pause of an answer ends, in store time. */
function endOf(view: MemberView): number {
  return view.storeTimeMs + leftOf(view);
}

function near(context: CaseContext, actual: number, expected: number, what: string): void {
  context.that(Math.abs(actual - expected) <= ROUNDING_MS, `${what}: ${actual} where ${expected} is right`);
}

function sameEnd(context: CaseContext, view: MemberView, endMs: number, when: string): void {
  near(context, endOf(view), endMs, `end of a pause in store time, ${when}`);
}
