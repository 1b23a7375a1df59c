import { newBucket } from "../../buckets/bucket-stores.ts";
import { type CaseDefinition, casesOf } from "../../case.ts";

/** Longer than a limit binds an idle bucket. */
const IDLE_MS = 11_000;

/** K9: whose limit counts. */
export const limits: readonly CaseDefinition[] = casesOf({ rule: "K9", needs: ["buckets"] }, [
  {
    name: "a request with another limit is refused and changes nothing, whatever number differs",
    why: "two deployments with different limits would each enforce their own",
    async run(context) {
      const bucket = await newBucket(context);
      await bucket.take(4);
      const { limit } = bucket;
      const others = [{ max: 6 }, { windowMs: limit.windowMs + 1 }, { burst: 11 }, { concurrent: 1 }];
      for (const other of others) {
        const request = bucket.request(1, { limit: { ...limit, ...other }, hits: { windowMs: 60_000, by: 1 } });
        const error = await bucket.refusedWith("DT_PACE_MISMATCH", request);
        context.that(/replaces/.test(error.message), `the error names no remedy: ${error.message}`);
      }
      context.equal((await bucket.look()).hits, 0, "hits of requests that were refused");
      await bucket.remains(6, "after requests with other limits");
    },
  },
  {
    name: "a limit takes the place of the one that it names, for all, and units stay taken",
    why: "a change is rolled out while the old version still runs",
    async run(context) {
      const bucket = await newBucket(context);
      await bucket.take(8);
      const limit = { ...bucket.limit, burst: 20 };
      await bucket.take(1, { limit, formerLimit: bucket.limit });
      const old = await bucket.take(1);
      context.equal(old.limit?.burst, 20, "the burst in the answer to a user of the old limit");
      await bucket.take(1, { limit, formerLimit: bucket.limit });
      const { remaining } = await bucket.look();
      context.that(Math.floor(remaining) === 9, `${remaining} units are left after 11 of 20`);
      const third = { ...bucket.limit, burst: 30 };
      await bucket.refusedWith("DT_PACE_MISMATCH", bucket.request(1, { limit: third }));
      const lower = { ...bucket.limit, burst: 2 };
      const fewer = await bucket.ask(1, { limit: lower, formerLimit: limit });
      context.equal(Math.floor(fewer.remaining), -9, "units left of a burst of 2 after 11 were taken");
    },
  },
  {
    name: "a limit binds a bucket for no longer than 10 s after its last use",
    needs: ["buckets", "shiftClock"],
    async run(context) {
      const bucket = await newBucket(context);
      await bucket.take(1);
      const limit = { ...bucket.limit, burst: 12 };
      context.note(`the store's clock is set ${IDLE_MS} ms ahead`);
      await context.target.faults?.shiftClock?.(IDLE_MS);
      try {
        await bucket.take(1, { limit });
        await bucket.refusedWith("DT_PACE_MISMATCH", bucket.request(1));
      } finally {
        await context.target.faults?.shiftClock?.(-IDLE_MS);
      }
    },
  },
]);
