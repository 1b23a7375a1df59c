import type { CaseDefinition } from "../case.ts";
import { withWallClock } from "../wall-clock.ts";
import { paceOf } from "./store-time.ts";

/**
 * Far more than two clients of a hybrid clock may differ by, and little enough for servers that refuse requests with a
 * wrong date.
 */
const SKEW_MS = 240_000;
/** Two with each clock: minutes show at once. */
const CALLS = 4;

/** R2: a store that asks this process for the time. */
export const wallClocks: readonly CaseDefinition[] = [
  {
    name: "a client whose wall clock (Date) is four minutes off changes nothing",
    rule: "R2",
    why: "a store that hands its caller's Date.now() to the ledger works as long as all machines agree: one that is ahead removes all others",
    needs: ["ledger", "distantClock"],
    alone: true,
    async run(context) {
      for (const skewMs of [SKEW_MS, -SKEW_MS]) {
        const off = <T>(run: () => Promise<T>): Promise<T> => withWallClock(skewMs, run);
        const group = context.group();
        const honest = context.member(await context.store(), group);
        await honest.join();
        const store = await off(() => context.openStore());
        const member = context.member(store, group, { staleAfterMs: context.ms(10_000) });
        await off(() => member.join());
        await paceOf(context, [honest, { sync: () => off(() => member.sync()) }], CALLS);
        await off(() => store.inspect(group));
        const view = await honest.beat();
        context.equal(view.members, 2, `member count with a member whose wall clock is off by ${skewMs} ms`, "R4");
        await off(() => member.leave());
        await honest.beat();
      }
    },
  },
];
