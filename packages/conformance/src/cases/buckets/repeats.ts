import { newBucket } from "../../buckets/bucket-stores.ts";
import { type CaseDefinition, casesOf } from "../../case.ts";

/** K7: the same request again. */
export const repeats: readonly CaseDefinition[] = casesOf({ rule: "K7", needs: ["buckets"] }, [
  {
    name: "a request that comes twice is answered the same, and takes, reports and counts once",
    why: "an answer that was lost on the way is asked for again",
    async run(context) {
      const bucket = await newBucket(context, { concurrent: 3 });
      await bucket.take(4, bucket.hold(1));
      const asked = {
        ...bucket.hold(2, { spent: 1, keep: 2 }),
        ...{ ahead: 1, slot: { id: "s", forMs: context.ms(60_000) }, hits: { windowMs: context.ms(60_000), by: 1 } },
      };
      const first = await bucket.take(2, asked);
      for (let i = 0; i < 3; i++) {
        const again = await bucket.ask(2, asked);
        context.equal(again.granted, first.granted, "granted to a repeat");
        context.equal(again.firstMs, first.firstMs, "the first instant of a repeat");
        context.equal(again.hits, 1, "hits after a repeat");
        context.equal(again.inHand, 5, "units in hand after a repeat");
      }
      await bucket.remains(4, "after four requests that were one");
    },
  },
  {
    name: "a refusal that is asked for again is refused again, for the same reason",
    async run(context) {
      const bucket = await newBucket(context, { concurrent: 1 });
      const slot = (id: string) => ({ slot: { id, forMs: context.ms(60_000) } });
      await bucket.take(1, { ...bucket.hold(1), ...slot("a") });
      const asked = { ...bucket.hold(2), ...slot("b") };
      const first = await bucket.refused(1, asked, "the slot is in use");
      await bucket.ask(0, { release: ["a"] });
      const again = await bucket.refused(1, asked, "it was refused before");
      context.equal(again.limitedBy, first.limitedBy, "what refuses a repeat");
      context.equal(again.waitMs, first.waitMs, "the wait of a repeat");
      await bucket.take(1, { ...bucket.hold(3), ...slot("b") });
    },
  },
  {
    name: "a request that comes after a newer one is granted nothing, and changes nothing",
    async run(context) {
      const bucket = await newBucket(context);
      await bucket.take(3, bucket.hold(5));
      const late = await bucket.ask(2, {
        ...bucket.hold(4, { spent: 3, keep: 0 }),
        ...{ ahead: 2, hits: { windowMs: context.ms(60_000), by: 1 } },
      });
      context.equal(late.granted, 0, "granted to a request that is late");
      context.equal(late.inHand, 3, "units in hand after a request that is late");
      context.equal(late.hits, 0, "hits after a request that is late");
      await bucket.remains(7, "after a request that is late");
      const newest = await bucket.ask(3, bucket.hold(5));
      context.equal(newest.granted, 3, "granted to a repeat of the newest after one that is late");
    },
  },
  {
    name: "requests of two processes with the same number are two, and one process has two buckets",
    async run(context) {
      const [one, two] = [await newBucket(context), await newBucket(context)];
      await one.take(2, one.hold(1));
      await one.take(2, one.hold(1, { id: "q" }));
      await two.take(4, two.hold(1));
      await one.remains(6, "after two processes took two each");
      await two.remains(6, "of the other bucket");
    },
  },
  {
    name: "processes whose ids are nearly the same are different processes",
    async run(context) {
      const bucket = await newBucket(context);
      const ids = ["p", "P", "p ", "ṗ", `${"x".repeat(1_023)}a`, `${"x".repeat(1_023)}b`];
      for (const id of ids) await bucket.take(1, bucket.hold(1, { id }));
      await bucket.remains(4, "after six processes took one each");
    },
  },
]);
