import type { Bucket } from "../../buckets/bucket.ts";
import type { BucketStore } from "../../buckets/bucket-store.ts";
import { asBuckets, bucketStore, newBucket } from "../../buckets/bucket-stores.ts";
import { type CaseDefinition, casesOf } from "../../case.ts";
import { rejects } from "../rejects.ts";
import { settledAs } from "../settled-as.ts";

/** K11: cancellation and closing. */
export const calls: readonly CaseDefinition[] = casesOf({ rule: "K11", needs: ["buckets"] }, [
  {
    name: "take is refused at once with a signal that is aborted already, and does nothing",
    async run(context) {
      const bucket = await newBucket(context);
      await bucket.take(1);
      const signal = AbortSignal.abort(new Error("given up"));
      const given = (await bucketStore(context)).take([bucket.request(5)], signal);
      const error = await context.refused(given, ["DT_ABORTED"], "take with an aborted signal");
      context.equal(error.effect, "definite", "effect of a call that was never sent");
      await bucket.remains(9, "after a call with an aborted signal");
    },
  },
  {
    name: "a call of take whose signal aborts while it runs settles, and units that the call may have taken can be given back",
    async run(context) {
      const store = await bucketStore(context);
      for (let round = 0; round < 6; round++) {
        const bucket = await newBucket(context);
        const controller = new AbortController();
        const call = store.take([bucket.request(4, bucket.hold(1))], controller.signal);
        if (round % 3 === 0) controller.abort();
        else void context.sleep(round % 3).then(() => controller.abort());
        const what = "a call of take with an aborted signal";
        const outcome = await context.within(what, context.ms(1_000), settledAs(call));
        context.that(["done", "DT_ABORTED"].includes(outcome), `${what} ended with ${outcome}`);
        // A request that was on its way may arrive after this report: then it is late, and takes nothing.
        const [answer] = await store.take([bucket.request(1, bucket.hold(2, { keep: 0 }))]);
        context.that(
          answer !== undefined && "remaining" in answer && Math.floor(answer.remaining) === 9,
          `units that ${what} may have taken cannot be given back: ${JSON.stringify(answer)}`,
        );
      }
    },
  },
  {
    name: "after close every call of a bucket is refused as closed, and what was taken stays taken",
    async run(context) {
      const bucket = await newBucket(context);
      const store = asBuckets(context, await context.openStore());
      if (context.target.sharesData !== false) await bucket.take(4, {}, store);
      await store.close();
      for (const [what, call] of everyCall(bucket, store))
        await context.refused(call(), ["DT_STORE_CLOSED"], `${what} on a closed store`);
      if (context.target.sharesData !== false) await bucket.remains(6, "after the store that took was closed");
    },
  },
  {
    name: "calls of take in flight settle when the store is closed",
    async run(context) {
      const bucket = await newBucket(context, { burst: 100 });
      const store = asBuckets(context, await context.openStore());
      const under = Array.from({ length: 20 }, () => settledAs(store.take([bucket.request(1)])));
      await store.close();
      for (const outcome of await Promise.all(under))
        context.that(
          outcome === "done" || outcome === "DT_STORE_CLOSED",
          `a call in flight while the store was closed ended with ${outcome}`,
        );
    },
  },
  {
    name: "failures of bucket calls come as rejections, never as exceptions",
    async run(context) {
      const bucket = await newBucket(context);
      const store = (await context.bareStore()) as BucketStore;
      await rejects(context, () => store.take([]));
      await store.close();
      for (const [, call] of everyCall(bucket, store)) await rejects(context, call);
    },
  },
]);

function everyCall(bucket: Bucket, store: BucketStore): readonly (readonly [string, () => Promise<unknown>])[] {
  const { resetBucket, inspectBucket } = store;
  return [
    ["take", () => store.take([bucket.request(1)])],
    ...(resetBucket ? [["resetBucket", () => resetBucket.call(store, bucket.ref)] as const] : []),
    ...(inspectBucket ? [["inspectBucket", () => inspectBucket.call(store, bucket.ref)] as const] : []),
  ];
}
