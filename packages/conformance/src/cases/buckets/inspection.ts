import type { BucketStore } from "../../buckets/bucket-store.ts";
import {
  asBuckets,
  bucketClient,
  bucketStore,
  inspectsBuckets,
  listsBuckets,
  newBucket,
} from "../../buckets/bucket-stores.ts";
import { type CaseDefinition, casesOf } from "../../case.ts";
import type { CaseContext } from "../../context.ts";
import { HOSTILE, NEAR_MISSES } from "../../hostile-names.ts";
import { type AskPage, allNames, listsAll, refusesCursors, refusesWhenOver } from "../../listing.ts";

/** More buckets than a page has. */
const MANY = 130;

/** K13: what a bucket holds, and which there are. */
export const inspection: readonly CaseDefinition[] = casesOf({ rule: "K13", needs: ["buckets"] }, [
  {
    name: "a bucket shows its limit, what is left, what is in hand, slots and hits, and an inspection changes nothing",
    async run(context) {
      const store = inspectsBuckets(context, await bucketStore(context));
      const bucket = await newBucket(context, { concurrent: 4 });
      context.equal(await store.inspectBucket(bucket.ref), undefined, "what a bucket holds that was never used");
      const slot = { slot: { id: "s", forMs: context.ms(60_000) }, hits: { windowMs: context.ms(60_000), by: 3 } };
      await bucket.take(4, { ...bucket.hold(1), ...slot });
      for (let i = 0; i < 3; i++) {
        const { held, inFlight, hits, limit } = await bucket.inspect(store);
        context.equal(
          `${held},${inFlight},${hits},${limit?.concurrent}`,
          "4,1,3,4",
          "in hand, slots, hits, concurrent",
        );
      }
      await bucket.remains(6, "after inspections");
    },
  },
  {
    name: "a bucket of which nothing is left is not there",
    async run(context) {
      const store = inspectsBuckets(context, await bucketStore(context));
      const bucket = await newBucket(context, { windowMs: context.ms(200) });
      await bucket.take(3, bucket.hold(1, { forMs: context.ms(500) }));
      context.that((await bucket.inspect(store)).held > 0, "nothing is in hand of a bucket just used");
      await context.until(
        async () => ((await store.inspectBucket(bucket.ref)) === undefined ? true : undefined),
        "inspectBucket still knows a bucket of which nothing is left",
      );
    },
  },
  {
    name: "buckets whose names or keys are nearly the same show nothing of each other",
    async run(context) {
      const store = inspectsBuckets(context, await bucketStore(context));
      const bucket = await newBucket(context, { key: "name" });
      await bucket.take(1);
      const { name } = bucket.ref;
      for (const key of NEAR_MISSES.filter((text) => text !== "name"))
        context.equal(await store.inspectBucket({ name, key }), undefined, `what the key ${JSON.stringify(key)} holds`);
      context.equal((await bucket.inspect(store)).key, "name", "the bucket's key");
    },
  },
  {
    name: "an inspection of a bucket is refused without a key, when it is given up, and when the store is closed",
    async run(context) {
      const store = inspectsBuckets(context, await bucketStore(context));
      const bucket = await newBucket(context);
      await bucket.take(1);
      const nameless = store.inspectBucket({ ...bucket.ref, key: "" });
      await context.refused(nameless, ["DT_INVALID_OPTION"], "inspectBucket without a key");
      const given = store.inspectBucket(bucket.ref, AbortSignal.abort());
      await context.refused(given, ["DT_ABORTED"], "inspectBucket with an aborted signal");
    },
  },
  {
    name: "an inspection of a bucket whose data is damaged is refused, with the remedy",
    needs: ["buckets", "spoilBucket"],
    async run(context) {
      const bucket = await newBucket(context);
      await bucket.take(1);
      await context.target.damage?.spoilBucket?.(bucket.ref);
      context.note("what is stored of the bucket is damaged");
      const client = inspectsBuckets(context, await bucketClient(context));
      const what = "inspectBucket of a bucket whose data is damaged";
      const error = await context.refused(client.inspectBucket(bucket.ref), ["DT_STORE_DATA"], what);
      context.that(/reset/i.test(error.message), `the error about damaged data names no remedy: ${error.message}`);
    },
  },
  {
    name: "buckets with hostile names and keys are listed by their whole names and keys",
    async run(context) {
      const ask = pages(context, await bucketStore(context));
      const unique = context.group();
      const refs = HOSTILE.flatMap((text) => [
        { name: `${text}${unique}${text}`, key: "a" },
        { name: unique, key: text },
      ]);
      await useAll(context, refs);
      listsAll(context, await allNames(context, [ask]), refs.map(textOf));
    },
  },
  {
    name: "buckets that come between two pages make a list miss no other, whichever client is asked for a page",
    async run(context) {
      const clients = [pages(context, await bucketStore(context)), pages(context, await bucketClient(context))];
      const name = context.group();
      const named = (what: string, i: number) => ({ name, key: `${String(i).padStart(3, "0")}-${what}` });
      const staying = Array.from({ length: MANY }, (_, i) => named("stays", i));
      await useAll(context, staying);
      const listed = await allNames(context, clients, async (page) => {
        if (page < 10) await useAll(context, [named("comes", page)]);
      });
      listsAll(context, listed, staying.map(textOf));
    },
  },
  {
    name: "a bucket that was only looked for is not listed, and a cursor that no page of buckets gave is refused",
    async run(context) {
      const store = await bucketStore(context);
      const ask = pages(context, store);
      const name = context.group();
      await useAll(
        context,
        Array.from({ length: MANY }, (_, i) => ({ name, key: `k${i}` })),
      );
      if (context.has(store, "inspectBucket")) await store.inspectBucket?.({ name, key: "nobody's" });
      if (context.has(store, "resetBucket")) await store.resetBucket?.({ name, key: "nobody's either" });
      const listed = await allNames(context, [ask]);
      context.that(!listed.has(textOf({ name, key: "nobody's" })), "a bucket that was never used is listed");
      const ofGroups = context.has(store, "list") ? (await context.lists(store).list()).next : undefined;
      await refusesCursors(context, ask, ofGroups === undefined ? [] : [ofGroups]);
    },
  },
  {
    name: "a list of buckets is refused when it is given up or the store is closed",
    async run(context) {
      const ask = pages(context, await bucketStore(context));
      await refusesWhenOver(context, ask, async () => {
        const store = asBuckets(context, await context.openStore());
        await store.close();
        return pages(context, store);
      });
    },
  },
]);

interface Ref {
  readonly name: string;
  readonly key: string;
}

function textOf({ name, key }: Ref): string {
  return JSON.stringify([name, key]);
}

/** The pages of a store, each bucket as one text. */
export function pages(context: CaseContext, store: BucketStore): AskPage {
  const lister = listsBuckets(context, store);
  return async (cursor, signal) => {
    const { buckets, next } = await lister.listBuckets(cursor, signal);
    return { names: buckets.map(textOf), next };
  };
}

/** Takes a little of each of the buckets. */
async function useAll(context: CaseContext, refs: readonly Ref[]): Promise<void> {
  const { limit } = await newBucket(context);
  const store = await bucketStore(context);
  const take = { cost: 1, maxWaitMs: 0, ahead: 0, aheadWithinMs: 0 };
  await store.take(refs.map((ref) => ({ ...ref, limit, take })));
}
