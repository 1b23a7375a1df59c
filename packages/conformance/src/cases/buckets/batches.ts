import type { BucketRequest } from "@dt/core";
import type { Bucket } from "../../buckets/bucket.ts";
import { bucketStore, newBucket } from "../../buckets/bucket-stores.ts";
import { type CaseDefinition, casesOf } from "../../case.ts";
import type { CaseContext } from "../../context.ts";

/** What one call may hold. */
const MOST_REQUESTS = 1_000;

/** K1: several requests in one call. */
export const batches: readonly CaseDefinition[] = casesOf({ rule: "K1", needs: ["buckets"] }, [
  {
    name: "requests of one call are answered in their order, and those to one bucket are served in it",
    async run(context) {
      const [one, two] = [await newBucket(context), await newBucket(context)];
      await inOneCall(context, [
        [one, one.request(4)],
        [two, two.request(3)],
        [one, one.request(7)],
        [one, one.request(6)],
        [two, two.request(7)],
        [one, one.request(1)],
        [two, two.request(0)],
      ]);
      context.equal((await one.look()).granted, 0, "granted to a request that takes nothing");
      await one.remains(0, "after 4 and 6 of 10 were taken in one call");
      await two.remains(0, "after 3 and 7 of 10 were taken in one call");
    },
  },
  {
    name: "a request that has another limit is refused alone, and those around it are served",
    why: "one tenant with a wrong limit must not fail the requests of all tenants that travel with its own",
    async run(context) {
      const [one, two, three] = [await newBucket(context), await newBucket(context), await newBucket(context)];
      await two.take(1);
      const other = { ...two.request(2), limit: { ...two.limit, burst: 11 }, hits: { windowMs: 60_000, by: 1 } };
      const requests = [one.request(2), other, three.request(3), two.request(4), one.request(5)];
      const answers = await (await bucketStore(context)).take(requests);
      two.isRefused("DT_PACE_MISMATCH", answers[1]);
      one.follow([requests[0] as BucketRequest, requests[4] as BucketRequest], [answers[0], answers[4]]);
      three.follow([requests[2] as BucketRequest], [answers[2]]);
      two.follow([requests[3] as BucketRequest], [answers[3]]);
      await two.remains(5, "after a refusal in the middle of a call");
    },
  },
  {
    name: "a call of many requests is served whole, to new buckets and to known ones",
    async run(context) {
      const name = context.group();
      const store = await bucketStore(context);
      const { limit } = await newBucket(context);
      const requests = Array.from({ length: MOST_REQUESTS }, (_, i): BucketRequest => {
        const take = { cost: 1 + (i % 7), maxWaitMs: 0, ahead: 0, aheadWithinMs: 0 };
        return { name, key: `k${i}`, limit, take };
      });
      for (const [count, left] of [
        [MOST_REQUESTS, 10],
        [MOST_REQUESTS / 10, 5],
      ] as const) {
        const answers = await store.take(requests.slice(0, count));
        for (const [i, answer] of answers.entries()) {
          const cost = 1 + (i % 7);
          const granted = "granted" in answer ? answer.granted : -1;
          const isThere = cost <= left || cost * 2 <= 10;
          context.equal(granted, isThere ? cost : 0, `granted to a cost of ${cost}, number ${i} of the call`);
        }
      }
    },
  },
]);

/** Sends requests to several buckets in one call. Each bucket's answers must be those of its own requests. */
async function inOneCall(
  context: CaseContext,
  asked: readonly (readonly [bucket: Bucket, request: BucketRequest])[],
): Promise<void> {
  const answers = await (await bucketStore(context)).take(asked.map(([, request]) => request));
  for (const [index, [bucket, request]] of asked.entries()) bucket.follow([request], [answers[index]]);
}
