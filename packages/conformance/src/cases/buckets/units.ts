import { newBucket } from "../../buckets/bucket-stores.ts";
import { type CaseDefinition, casesOf } from "../../case.ts";

/** K3 and K4: units that come back, and who gets them. */
export const units: readonly CaseDefinition[] = casesOf({ rule: "K3", needs: ["buckets"] }, [
  {
    name: "a new bucket gives its burst at once, and then nothing until units have come back",
    async run(context) {
      const bucket = await newBucket(context);
      await bucket.take(3);
      await bucket.take(7);
      const { waitMs, everyMs, limitedBy } = await bucket.refused(1, {}, "all units are taken");
      context.that(waitMs > 0 && waitMs <= everyMs, `a unit that comes in ${everyMs} ms is due in ${waitMs} ms`);
      context.equal(limitedBy, "rate", "what refuses a unit where none is left");
    },
  },
  {
    name: "units come back evenly, and never more than the burst",
    async run(context) {
      const bucket = await newBucket(context, { windowMs: context.ms(500), burst: 4 });
      await bucket.take(4);
      for (const cost of [1, 2]) {
        const { waitMs } = await bucket.ask(cost);
        await context.sleep(waitMs);
        await context.until(
          async () => ((await bucket.ask(cost)).granted > 0 ? true : undefined),
          `${cost} units that were due have not come back`,
        );
      }
      await context.sleep(context.ms(1_000));
      context.equal((await bucket.look()).remaining, 4, "units of a bucket that is full");
      context.equal((await bucket.look()).resetMs, 0, "the time until a full bucket is full");
    },
  },
  {
    name: "a rate of many units in a millisecond, and of one in days, are counted alike",
    async run(context) {
      const [fast, slow] = [
        await newBucket(context, { max: 1e12, windowMs: 1, burst: 1e12 }),
        await newBucket(context, { max: 1 / 3, windowMs: 8_640_000_000, burst: 2 }),
      ];
      await fast.take(1e12);
      await slow.take(2);
      await slow.refused(1, {}, "a unit comes back in months");
      await fast.ask(1_000);
    },
  },
  {
    name: "a cost is granted whole or not at all",
    rule: "K4",
    async run(context) {
      const bucket = await newBucket(context);
      await bucket.take(8);
      await bucket.refused(3, {}, "two units are left");
      await bucket.remains(2, "after a refusal");
      await bucket.take(2);
    },
  },
  {
    name: "a cost waits at most maxWaitMs, and the answer has exactly how long",
    rule: "K4",
    async run(context) {
      const bucket = await newBucket(context, { windowMs: context.ms(50_000) });
      await bucket.take(9);
      const everyMs = context.ms(10_000);
      const short = bucket.hold(1);
      await bucket.refused(3, { ...short, maxWaitMs: everyMs }, "it is due in twice that time");
      const { waitMs, storeTimeMs, firstMs } = await bucket.take(3, { ...bucket.hold(2), maxWaitMs: 3 * everyMs });
      context.that(waitMs > everyMs && waitMs <= 2 * everyMs, `two units of ${everyMs} ms are due in ${waitMs} ms`);
      context.that(firstMs < storeTimeMs, "the first unit of three is there, and may be spent only later");
      context.that((await bucket.look()).remaining < -1, "units that are reserved ahead are not missing");
      await bucket.refused(1, {}, "units are reserved ahead of it");
    },
  },
  {
    name: "units that are wanted besides come as far as they are due in time",
    rule: "K4",
    async run(context) {
      const bucket = await newBucket(context, { windowMs: context.ms(50_000) });
      await bucket.take(5);
      const now = await bucket.take(1, { ...bucket.hold(1), ahead: 2 });
      context.equal(now.granted, 3, "granted where one is needed, two are wanted, and five are there");
      const all = await bucket.take(1, { ...bucket.hold(2), ahead: 100 });
      context.equal(all.granted, 2, "granted where more are wanted than are there");
      const later = await bucket.take(1, {
        ...bucket.hold(3),
        ...{ maxWaitMs: context.ms(60_000), ahead: 100, aheadWithinMs: context.ms(25_000) },
      });
      context.equal(later.granted, 2, "granted where two are due in time");
    },
  },
  {
    name: "a process that waits keeps its place: others that come later are refused until it has taken",
    why: "processes that take again at once would keep it from the bucket for ever",
    rule: "K4",
    async run(context) {
      const bucket = await newBucket(context);
      const first = (seq: number) => ({ ...bucket.hold(seq), maxWaitMs: 1 });
      const second = (seq: number) => ({ ...bucket.hold(seq, { id: "q" }), maxWaitMs: 1 });
      await bucket.take(8);
      await bucket.refused(3, first(1), "two units are left");
      const { waitMs, everyMs } = await bucket.refused(1, second(1), "another process waits");
      context.that(waitMs >= everyMs, `a process that is behind another one is to ask again in ${waitMs} ms`);
      await bucket.refused(1, {}, "two processes wait");
      await bucket.refused(3, first(2), "two units are left");
      await bucket.refused(1, second(2), "another process waits for longer");
      await bucket.take(1, first(3));
      await bucket.take(1, second(3));
    },
  },
  {
    name: "a place ends with a request that does not wait, and some time after the last refusal",
    rule: "K4",
    async run(context) {
      const long = await newBucket(context);
      await long.take(8);
      await long.refused(3, { ...long.hold(1), maxWaitMs: 1 }, "two units are left");
      await long.refused(1, long.hold(1, { id: "q" }), "another process waits");
      await long.refused(3, long.hold(2), "two units are left");
      await long.take(1, long.hold(2, { id: "q" }));
      const short = await newBucket(context, { windowMs: context.ms(400), max: 2, burst: 2 });
      await short.send([short.request(2), short.request(1, { ...short.hold(1), maxWaitMs: 0.001 })]);
      await context.until(
        async () => ((await short.ask(1)).granted > 0 ? true : undefined),
        "the place of a process that does not come back has no end",
      );
    },
  },
]);
