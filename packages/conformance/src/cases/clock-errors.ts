import { type CaseDefinition, casesOf } from "../case.ts";

/** R6: the clock error of the group. */
export const clockErrors: readonly CaseDefinition[] = casesOf({ rule: "R6", needs: ["ledger"] }, [
  {
    name: "the group's clock error is the largest that a live member declares",
    why: "a member whose clock is ahead uses its old share in an epoch in which others begin to use the tokens that it gave up",
    async run(context) {
      const group = await context.newGroup();
      const [a, b, c] = [group.member(), group.member(), group.member()];
      context.equal((await a.join({ clockErrorMs: 10 })).clockErrorMs, 10, "clock error of a group of one");
      context.equal(
        (await b.join({ clockErrorMs: 40_000 })).clockErrorMs,
        40_000,
        "clock error for one with a larger one",
      );
      context.equal((await c.join()).clockErrorMs, 40_000, "clock error for one that declares none");
      context.equal(
        (await a.beat()).clockErrorMs,
        40_000,
        "clock error in the answer to the first member's next report",
      );
    },
  },
  {
    name: "the clock error of a member that is gone counts until its clock can no longer be ahead",
    why: "it used its share, on a clock that may have been ahead, up to its farewell",
    async run(context) {
      const group = await context.newGroup();
      const goneErrorMs = context.ms(600);
      const [a, b] = [group.member(), group.member()];
      const before = await a.join({ clockErrorMs: 10 });
      await b.join({ clockErrorMs: goneErrorMs });
      await b.leave();
      for (;;) {
        const view = await a.beat();
        const leastMs = goneErrorMs - (view.storeTimeMs - before.storeTimeMs);
        context.that(
          view.clockErrorMs >= Math.max(10, leastMs - 2) && view.clockErrorMs <= goneErrorMs + 2,
          `clock error ${view.clockErrorMs} ms, ${(view.storeTimeMs - before.storeTimeMs).toFixed(1)} ms after a time before a member with ${goneErrorMs} ms left`,
        );
        if (view.clockErrorMs === 10) return;
        context.that(
          leastMs > -context.ms(1_000),
          `the clock error is ${view.clockErrorMs} ms still, long after the member left`,
        );
        await context.sleep(context.ms(40));
      }
    },
  },
]);
