import { bucketClient, bucketStore, newBucket, resetsBuckets } from "../../buckets/bucket-stores.ts";
import { type CaseDefinition, casesOf } from "../../case.ts";

/** K12: what a reset leaves, which is nothing, and what damage concerns. */
export const reset: readonly CaseDefinition[] = casesOf({ rule: "K12", needs: ["buckets"] }, [
  {
    name: "a reset forgets a bucket whole: units, what is in hand, slots, hits and its limit",
    async run(context) {
      const store = resetsBuckets(context, await bucketStore(context));
      const bucket = await newBucket(context, { concurrent: 1 });
      const slot = { slot: { id: "s", forMs: context.ms(60_000) }, hits: { windowMs: context.ms(60_000), by: 3 } };
      await bucket.take(7, { ...bucket.hold(1), ...slot });
      await bucket.reset(store);
      const limit = { ...bucket.limit, burst: 12 };
      const next = { ...slot, slot: { ...slot.slot, id: "t" } };
      const fresh = await bucket.take(11, { ...bucket.hold(2), ...next, limit });
      context.equal(fresh.hits, 3, "hits after a reset");
      context.equal(fresh.inHand, 11, "units in hand after a reset");
      context.equal(fresh.inFlight, 1, "slots in use after a reset");
    },
  },
  {
    name: "a reset touches no other bucket, and does nothing where there is none",
    async run(context) {
      const store = resetsBuckets(context, await bucketStore(context));
      const bucket = await newBucket(context, { key: "tenant" });
      await bucket.take(4);
      const { name, key } = bucket.ref;
      const others = [
        { name, key: "tenan" },
        { name, key: "tenant " },
        { name, key: "%" },
        { name: name.slice(0, -1), key },
        { name: key, key: name },
      ];
      for (const other of others) await store.resetBucket(other);
      await bucket.remains(6, "after resets of other buckets");
      await context.refused(store.resetBucket({ name, key: "" }), ["DT_INVALID_OPTION"], "resetBucket without a key");
      const given = store.resetBucket(bucket.ref, AbortSignal.abort());
      await context.refused(given, ["DT_ABORTED"], "resetBucket with an aborted signal");
      await bucket.remains(6, "after resets that were refused");
    },
  },
  {
    name: "a bucket whose data is damaged is refused alone, until it is reset, and forgotten whole then",
    why: "one damaged row must not keep all tenants out",
    needs: ["buckets", "spoilBucket"],
    async run(context) {
      const [bucket, one, two] = [await newBucket(context), await newBucket(context), await newBucket(context)];
      await bucket.take(5);
      await one.take(2);
      await context.target.damage?.spoilBucket?.(bucket.ref);
      context.note("what is stored of the bucket is damaged");
      // Of another client: one that remembers the bucket may write it as it was.
      const client = resetsBuckets(context, await bucketClient(context));
      for (let i = 0; i < 2; i++) {
        const requests = [one.request(1), bucket.request(1), two.request(1), bucket.request(0)];
        const answers = await client.take(requests);
        for (const answer of [answers[1], answers[3]]) {
          const { message } = bucket.isRefused("DT_STORE_DATA", answer);
          context.that(/reset/i.test(message), `the error about damaged data names no remedy: ${message}`);
        }
        one.follow([requests[0] as (typeof requests)[0]], [answers[0]]);
        two.follow([requests[2] as (typeof requests)[0]], [answers[2]]);
      }
      await bucket.reset(client);
      await bucket.take(10, {}, client);
    },
  },
]);
