import { bucketStore, newBucket } from "../../buckets/bucket-stores.ts";
import { type CaseDefinition, casesOf } from "../../case.ts";

/** K8: hits in a fixed window. */
export const hits: readonly CaseDefinition[] = casesOf({ rule: "K8", needs: ["buckets"] }, [
  {
    name: "hits are counted beyond any limit, from the first on, and taken back to no less than none",
    async run(context) {
      const bucket = await newBucket(context);
      const windowMs = context.ms(60_000);
      const count = async (by: number, ms = windowMs) => (await bucket.ask(0, { hits: { windowMs: ms, by } })).hits;
      context.equal(await count(0), 0, "hits of a bucket without any");
      context.equal(await count(-3), 0, "hits where some are taken back before the first");
      context.equal((await bucket.look()).hitsResetMs, 0, "the rest of a window that has not begun");
      context.equal(await count(2), 2, "hits after two");
      context.equal(await count(999_999), 1_000_001, "hits after very many");
      context.equal(await count(-1), 1_000_000, "hits after one was taken back");
      const { hitsResetMs } = await bucket.look();
      await count(5, context.ms(600_000));
      const later = await bucket.look();
      context.that(later.hitsResetMs <= hitsResetMs, "a window became longer with another hit");
      for (let i = 0; i < 2; i++) await count(-1_000_000);
      context.equal(await count(0), 0, "hits after more were taken back than counted");
      await bucket.remains(10, "after hits alone");
    },
  },
  {
    name: "a window of hits has the length that its first hit names, and the next hit after its end begins another",
    async run(context) {
      const bucket = await newBucket(context);
      const hit = (windowMs: number) => bucket.ask(0, { hits: { windowMs, by: 1 } });
      await hit(context.ms(400));
      context.equal((await hit(context.ms(60_000))).hits, 2, "hits of a window that runs");
      await context.until(
        async () => ((await bucket.look()).hits === 0 ? true : undefined),
        "a window of hits does not end",
      );
      const next = await hit(context.ms(60_000));
      context.equal(next.hits, 1, "hits of the next window");
      context.that(next.hitsResetMs > context.ms(30_000), "the next window has the length of the one before");
    },
  },
  {
    name: "hits need no limit, and a limit that comes later finds the bucket full",
    async run(context) {
      const bucket = await newBucket(context);
      const request = { ...bucket.ref, hits: { windowMs: context.ms(60_000), by: 1 } };
      const store = await bucketStore(context);
      for (let i = 0; i < 2; i++) await bucket.send([request], store);
      context.equal((await bucket.take(4)).hits, 2, "hits that a request with a limit is answered");
      await bucket.send([request], store);
      await bucket.remains(6, "after hits without a limit");
    },
  },
]);
