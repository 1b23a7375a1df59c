import { bucketClient, bucketStore, newBucket, setsLimits } from "../../buckets/bucket-stores.ts";
import { type CaseDefinition, casesOf } from "../../case.ts";

const STORED = { stored: true } as const;

/** K9: limits that live in the store. */
export const storedLimits: readonly CaseDefinition[] = casesOf({ rule: "K9", needs: ["buckets"] }, [
  {
    name: "a stored limit counts from the next request on, what was taken stays taken, and the code's counts again",
    async run(context) {
      const store = setsLimits(context, await bucketStore(context));
      const bucket = await newBucket(context);
      await bucket.take(8, STORED);
      await bucket.setLimit(store, { ...bucket.limit, max: 50, burst: 20, concurrent: 1 });
      await bucket.take(11, { ...STORED, slot: { id: "s", forMs: context.ms(60_000) } });
      await bucket.setLimit(store, { ...bucket.limit, burst: 4 });
      const lower = await bucket.refused(1, STORED, "19 of a burst of 4 are taken");
      context.that(lower.remaining < -14, `${lower.remaining} units are left of a burst of 4 after 19`);
      await bucket.setLimit(store, undefined);
      const code = await bucket.ask(0, STORED);
      context.equal(code.limit?.burst, 10, "the burst after the stored limit was removed");
    },
  },
  {
    name: "requests with a stored limit are not compared, and each one's own limit counts until one is set",
    async run(context) {
      const store = setsLimits(context, await bucketStore(context));
      const bucket = await newBucket(context);
      await bucket.take(1, STORED);
      const other = { ...bucket.limit, burst: 99 };
      context.equal((await bucket.take(1, { ...STORED, limit: other })).limit?.burst, 99, "the burst of the second");
      context.equal((await bucket.take(1, STORED)).limit?.burst, 10, "the burst of the first");
      await bucket.setLimit(store, { ...bucket.limit, burst: 50 });
      await bucket.take(40, { ...STORED, limit: other });
      context.equal((await bucket.ask(0, STORED)).limit?.burst, 50, "the burst that is set");
      await bucket.setLimit(store, undefined);
      context.equal((await bucket.ask(0, { ...STORED, limit: other })).limit?.burst, 99, "the burst of the next");
    },
  },
  {
    name: "a request that is not stored has the stricter of its own limit and the stored one, number by number",
    async run(context) {
      const store = setsLimits(context, await bucketStore(context));
      const bucket = await newBucket(context, { concurrent: 5 });
      await bucket.take(1);
      await bucket.setLimit(store, { ...bucket.limit, max: 1, burst: 40, concurrent: 2 });
      context.equal((await bucket.look()).limit?.max, 5, "units in a window before any request with stored");
      await bucket.ask(0, STORED);
      const mixed = (await bucket.look()).limit;
      context.equal(`${mixed?.max},${mixed?.burst},${mixed?.concurrent}`, "1,10,2", "max, burst and concurrent");
      context.equal((await bucket.ask(0, STORED)).limit?.burst, 40, "the burst of a request with stored");
      const other = { ...bucket.limit, burst: 11 };
      await bucket.refusedWith("DT_PACE_MISMATCH", bucket.request(1, { limit: other }));
    },
  },
  {
    name: "a stored limit is of one key and one name, whichever client sets it",
    async run(context) {
      const store = setsLimits(context, await bucketClient(context));
      const name = context.group();
      const bucket = await newBucket(context, { name });
      const others = [
        await newBucket(context, { name, key: "b" }),
        await newBucket(context, { name: "a", key: name }),
        await newBucket(context, { name: `${name}/a`, key: "a" }),
      ];
      await bucket.setLimit(store, { ...bucket.limit, burst: 2 });
      for (const other of others) await other.take(10, STORED);
      await bucket.take(2, STORED);
      await bucket.refused(1, STORED, "the stored limit has a burst of 2");
    },
  },
  {
    name: "a request that comes twice is no matter of a limit that was set meanwhile",
    async run(context) {
      const store = setsLimits(context, await bucketStore(context));
      const bucket = await newBucket(context);
      const asked = { ...STORED, ...bucket.hold(1) };
      await bucket.take(3, asked);
      await bucket.setLimit(store, { ...bucket.limit, burst: 4 });
      const again = await bucket.take(3, asked);
      context.equal(again.limit?.burst, 10, "the burst in the answer to a repeat");
      context.equal((await bucket.ask(0, STORED)).limit?.burst, 4, "the burst of the next request");
    },
  },
]);
