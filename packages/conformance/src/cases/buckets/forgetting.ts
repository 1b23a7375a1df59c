import { bucketStore, newBucket } from "../../buckets/bucket-stores.ts";
import { type CaseDefinition, casesOf } from "../../case.ts";
import { allNames } from "../../listing.ts";
import { pages } from "./inspection.ts";

const MINUTE_MS = 60_000;
/** Keys that were seen once, and others that come in each call afterwards. */
const [MANY, FEW] = [100, 10];

/** K13: a bucket that a new one would equal costs nothing. */
export const forgetting: readonly CaseDefinition[] = casesOf({ rule: "K13" }, [
  {
    name: "keys that were seen once leave nothing behind a minute later while others come, and what still counts stays",
    why: "each visitor would cost memory for ever",
    needs: ["buckets", "shiftClock"],
    async run(context) {
      const store = await bucketStore(context);
      const ask = pages(context, store);
      const name = context.group();
      const take = { cost: 1, maxWaitMs: 0, ahead: 0, aheadWithinMs: 0 };
      const limit = { max: 5, windowMs: 1_000, burst: 10 };
      const requests = (length: number, what: string) =>
        Array.from({ length }, (_, i) => ({ name, key: `${what}-${i}`, limit, take }));
      const kept = await newBucket(context);
      await kept.take(6, kept.hold(1, { forMs: 10 * MINUTE_MS }));
      await store.take(requests(MANY, "once"));
      context.note(`the store's clock is set ${MINUTE_MS} ms ahead`);
      await context.target.faults?.shiftClock?.(MINUTE_MS);
      try {
        let round = 0;
        await context.until(async () => {
          await store.take(requests(FEW, `round ${round++}`));
          const listed = [...(await allNames(context, [ask]))];
          return listed.some((text) => text.startsWith(JSON.stringify([name, "once"]).slice(0, -2))) ? undefined : true;
        }, "keys that were seen once are still listed");
        context.equal((await kept.ask(0, kept.hold(2))).inHand, 6, "units in hand of a bucket that still counts");
      } finally {
        await context.target.faults?.shiftClock?.(-MINUTE_MS);
      }
    },
  },
]);
