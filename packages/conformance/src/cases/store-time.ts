import type { View } from "@dt/core";
import { type CaseDefinition, casesOf } from "../case.ts";
import { type CaseContext, SHORT_MS } from "../context.ts";
import { isMemberView } from "../member.ts";
import { pace } from "./pace.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** R2: the group's time. */
export const storeTime: readonly CaseDefinition[] = casesOf({ rule: "R2", needs: ["ledger"] }, [
  {
    name: "store time passes as real time does, whichever client asks",
    async run(context) {
      const group = context.group();
      const members = [context.member(await context.store(), group), context.member(await context.client(), group)];
      for (const member of members) await member.join();
      await paceOf(context, members);
    },
  },
  {
    name: "a client whose own clock is an hour off changes nothing",
    why: "wall clocks of members are never trusted: one of them would remove all others, or keep the dead",
    needs: ["ledger", "skewedStore"],
    async run(context) {
      for (const skewMs of [HOUR_MS, -HOUR_MS]) {
        const group = context.group();
        const honest = context.member(await context.store(), group);
        await honest.join();
        const skewed = await context.openStore(() =>
          (context.target.createSkewedStore as (ms: number) => ReturnType<typeof context.target.createStore>)(skewMs),
        );
        const member = context.member(skewed, group, { staleAfterMs: context.ms(10_000) });
        await member.join();
        await paceOf(context, [honest, member]);
        context.equal(
          (await honest.beat()).members,
          2,
          `member count with a member whose clock is off by ${skewMs} ms`,
          "R4",
        );
      }
    },
  },
  {
    name: "the group's age grows with its time, from its creation",
    async run(context) {
      const group = await context.newGroup();
      const member = group.member();
      const sentMs = context.now();
      const first = await member.join();
      context.that(
        first.groupAgeMs <= context.now() - sentMs + 20,
        `a group is ${first.groupAgeMs} ms old in the answer to the registration that created it`,
      );
      await context.sleep(context.ms(100));
      const later = await member.beat();
      const [aged, passed] = [later.groupAgeMs - first.groupAgeMs, later.storeTimeMs - first.storeTimeMs];
      context.that(Math.abs(aged - passed) <= 2, `the group aged by ${aged} ms while its time went on by ${passed} ms`);
    },
  },
  {
    name: "a stretch without a call removes no member that is alive",
    why: "a suspended machine, a jumping clock or an outage of the store looks like the silence of all members",
    async run(context) {
      const group = await context.newGroup();
      const staleAfterMs = context.ms(SHORT_MS);
      const [a, b] = [group.member({ staleAfterMs }), group.member({ staleAfterMs })];
      await a.join();
      await b.join();
      await a.sync();
      const before = await b.sync();
      await context.sleep(staleAfterMs * 2.5);
      const first = await a.sync();
      context.that(
        first.storeTimeMs - before.storeTimeMs >= staleAfterMs * 2,
        "store time stood still while no member called",
      );
      context.that(isMemberView(first), `the first to call again was answered ${first.status}`);
      context.equal(isMemberView(first) && first.members, 2, "member count after a stretch without a call");
      const second = await b.sync();
      context.that(second.status !== "unknown", "the second to call again is not a member any more");
      await context.until(async () => {
        const view = await a.sync();
        return isMemberView(view) && view.members === 1 ? true : undefined;
      }, "after that stretch a member that is silent while others call is never removed");
    },
  },
  {
    name: "a group made anew does not fall behind the time that its members were answered before",
    why: "epochs are numbered by store time; they must not go back when the store loses its data",
    async run(context) {
      const group = await context.newGroup();
      const nowMs = (await context.member(group.store, context.group()).join()).storeTimeMs;
      const observedMs = nowMs + HOUR_MS;
      const survivor = group.member();
      const view = await survivor.join({ rejoin: true, observedMs });
      context.that(
        view.storeTimeMs >= observedMs,
        `store time is ${view.storeTimeMs}, and the member was answered ${observedMs} before`,
      );
      context.that(
        view.generation >= Math.floor(observedMs),
        `generation ${view.generation} is below the store time ${observedMs}`,
        "R5",
      );
      const other = context.member(await context.client(), group.name, { staleAfterMs: context.ms(SHORT_MS) });
      const joined = await other.join();
      context.that(joined.storeTimeMs >= observedMs, "another client's registration fell back behind it");
      context.equal((await survivor.beat()).members, 2, "member count right after", "R4");
      await context.until(
        async () => ((await survivor.beat()).members === 1 ? true : undefined),
        "in such a group a silent member is never removed",
      );
    },
  },
  {
    name: "the group's time goes on from what a report or a farewell has observed, and no member is removed for it",
    why: "a member whose epochs went on while the server's clock was set back must not be given shares of them again",
    async run(context) {
      const group = context.group();
      const staleAfterMs = context.ms(2_000);
      const a = context.member(await context.store(), group, { staleAfterMs });
      const b = context.member(await context.client(), group, { staleAfterMs });
      const c = context.member(await context.client(), group, { staleAfterMs });
      const joined = await a.join();
      await b.join();
      await c.join();
      const reportedMs = joined.storeTimeMs + HOUR_MS;
      const reported = await a.beat({ observedMs: reportedMs });
      context.that(
        reported.storeTimeMs >= reportedMs,
        `store time is ${reported.storeTimeMs} after a report that observed ${reportedMs}`,
      );
      context.equal((await b.beat()).members, 3, "member count after a report that observed an hour more", "R4");
      const partedMs = reportedMs + HOUR_MS;
      await c.store.deregister(group, c.ref, { seq: 9, level: null, observedMs: partedMs });
      const parted = await b.beat();
      context.that(
        parted.storeTimeMs >= partedMs,
        `store time is ${parted.storeTimeMs} after a farewell that observed ${partedMs}`,
      );
      context.equal(parted.members, 2, "member count after a farewell that observed two hours more", "R4");
      await a.beat();
    },
  },
  {
    name: "what a member has observed counts as a day ahead of the store's clock at most",
    why: "one member's error would move the group's time, and its epochs, for good",
    async run(context) {
      const store = await context.store();
      const nowMs = (await context.member(store, context.group()).join()).storeTimeMs;
      // A hybrid clock has no time but the one that members brought: each of the two calls may add its day.
      const days = context.clockErrorMs > 0 ? 2 : 1;
      const tolerableMs = days * DAY_MS + context.clockErrorMs + context.ms(60_000);
      const group = context.group();
      const [a, b] = [context.member(store, group), context.member(store, group)];
      await a.join();
      const views = [await a.beat({ observedMs: nowMs + 1_000 * DAY_MS }), await b.join({ observedMs: 8e15 })];
      const late = await context.member(store, context.group()).join({ observedMs: nowMs + 1_000 * DAY_MS });
      for (const view of [...views, late])
        context.that(
          view.storeTimeMs <= nowMs + tolerableMs,
          `store time is ${view.storeTimeMs}, ${view.storeTimeMs - nowMs} ms ahead, after a member observed a time years ahead`,
        );
    },
  },
  {
    name: "a clock that jumps ahead removes no member, and one that jumps back stops nothing",
    needs: ["ledger", "shiftClock"],
    async run(context) {
      const store = await context.store();
      const shift = (byMs: number): Promise<void> => context.target.faults?.shiftClock?.(byMs) as Promise<void>;
      for (const byMs of [HOUR_MS, -HOUR_MS]) {
        const group = context.group();
        const [a, b] = [
          context.member(store, group, { staleAfterMs: context.ms(5_000) }),
          context.member(store, group),
        ];
        const victim = context.member(store, group, { staleAfterMs: context.ms(3_000) });
        for (const member of [a, b, victim]) await member.join();
        const before = await a.beat();
        context.note(`the store's clock is shifted by ${byMs} ms`);
        await shift(byMs);
        try {
          const after = await b.beat();
          context.that(
            after.storeTimeMs >= before.storeTimeMs,
            `the group's time went back by ${before.storeTimeMs - after.storeTimeMs} ms`,
          );
          context.equal(after.members, 3, `member count after the clock was shifted by ${byMs} ms`, "R4");
          await context.until(
            async () => {
              await a.beat();
              return (await b.beat()).members === 2 ? true : undefined;
            },
            "after the shift a silent member is never removed",
            100,
          );
        } finally {
          await shift(-byMs);
        }
      }
    },
  },
]);

/** Whether the group's time passes as real time does, whichever of the members syncs. */
export function paceOf(context: CaseContext, members: readonly { sync(): Promise<View> }[], calls = 12): Promise<void> {
  const asked = members.map((member) => () => member.sync());
  return pace(context, asked, { calls, pauseMs: 25 });
}
