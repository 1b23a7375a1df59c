import { type CaseDefinition, casesOf } from "../case.ts";

/** R5: what makes a new generation, and what does not. */
export const generations: readonly CaseDefinition[] = casesOf({ rule: "R5", needs: ["ledger"] }, [
  {
    name: "every join and every leave gives a strictly greater generation",
    why: "members that adopted an older membership must not be counted as having adopted the new one",
    async run(context) {
      const group = await context.newGroup();
      const witness = group.member();
      let last = (await witness.join()).generation;
      for (let i = 0; i < 5; i++) {
        const member = group.member();
        const joined = (await member.join()).generation;
        context.that(joined > last, `generation ${joined} after a join is not greater than ${last} before it`);
        await member.leave();
        const left = (await witness.beat()).generation;
        context.that(left > joined, `generation ${left} after a leave is not greater than ${joined} before it`);
        last = left;
      }
    },
  },
  {
    name: "a generation is at least the store's time in milliseconds when it was made",
    why: "a store that lost its newest writes must not give the same number to another membership",
    async run(context) {
      const group = await context.newGroup();
      const a = group.member();
      for (const member of [a, group.member()]) {
        const view = await member.join();
        context.that(
          view.generation >= Math.floor(view.storeTimeMs),
          `generation ${view.generation} of a join is below the store time ${view.storeTimeMs} of its answer`,
        );
      }
      const beforeMs = (await a.beat()).storeTimeMs;
      await context.sleep(context.ms(30));
      const view = await a.beat({ max: 50 });
      context.that(
        view.generation > beforeMs,
        `generation ${view.generation} of a change of capacity is below the store time before it`,
      );
    },
  },
  {
    name: "a group that all members left goes on with greater generations",
    async run(context) {
      const group = await context.newGroup();
      // Many changes in a moment take the generations ahead of the store's time.
      const crowd = Array.from({ length: 24 }, () => group.member());
      const joins = await Promise.all(crowd.map((member) => member.join()));
      const before = Math.max(...joins.map((view) => view.generation));
      await Promise.all(crowd.map((member) => member.leave()));
      const empty = await group.inspect();
      context.equal(empty.memberCount, 0, "member count after all members left", "R12");
      context.equal(empty.held, 0, "sum of what is held after all members left", "R7");
      const after = await group.member().join();
      context.that(
        after.generation > before,
        `generation ${after.generation} is not greater than ${before}, from before all members left`,
      );
      context.equal(after.held, 100, "held of the first member after all members left", "R7");
    },
  },
  {
    name: "heartbeats, repeats, strangers, refusals and inspect leave the generation alone",
    why: "each new generation makes every member drop to its fair share and adopt again",
    async run(context) {
      const group = await context.newGroup();
      const [a, b] = [group.member({ id: "a" }), group.member()];
      await a.join();
      const { generation } = await b.join();
      const unchanged = async (after: string): Promise<void> => {
        context.equal((await group.inspect()).generation, generation, `generation after ${after}`);
      };
      await context.agree(a, b);
      await unchanged("an agreement");
      await a.beat({ held: 10 });
      await unchanged("a report of less than before");
      await a.beat({ level: 42 });
      await unchanged("a report of another level");
      await a.register();
      await unchanged("a repeated registration");
      await group.member({ id: "a" }).register({ rejoin: true });
      await unchanged("a rejoin that was answered fenced");
      await group.member().sync();
      await unchanged("a stranger's sync");
      await group.member().leave();
      await unchanged("a stranger's farewell");
      await group
        .member({ intervalMs: 7 })
        .register()
        .catch(() => {});
      await unchanged("a refused registration");
    },
  },
]);
