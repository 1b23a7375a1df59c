import type { Bucket } from "../../buckets/bucket.ts";
import type { BucketStore } from "../../buckets/bucket-store.ts";
import { asBuckets, bucketClient, bucketStore, newBucket } from "../../buckets/bucket-stores.ts";
import { type CaseDefinition, casesOf } from "../../case.ts";
import type { CaseContext } from "../../context.ts";
import { withWallClock } from "../../wall-clock.ts";
import { pace } from "../pace.ts";

const HOUR_MS = 3_600_000;
/** Far more than two clients of a hybrid clock may differ by. */
const SKEW_MS = 240_000;

/** K2: whose clock, and which way it goes. */
export const storeTime: readonly CaseDefinition[] = casesOf({ rule: "K2", needs: ["buckets"] }, [
  {
    name: "a bucket's time passes as real time does, whichever client asks",
    async run(context) {
      await paceOf(context, await newBucket(context), [await bucketStore(context), await bucketClient(context)]);
    },
  },
  {
    name: "a client whose own clock is an hour off gets units at the same time as all others",
    needs: ["buckets", "skewedStore"],
    async run(context) {
      for (const skewMs of [HOUR_MS, -HOUR_MS]) {
        const create = () =>
          (context.target.createSkewedStore as (ms: number) => ReturnType<typeof context.target.createStore>)(skewMs);
        await fromTwoClocks(context, asBuckets(context, await context.openStore(create)), (run) => run());
      }
    },
  },
  {
    name: "a client whose wall clock (Date) is four minutes off gets units at the same time as all others",
    needs: ["buckets", "distantClock"],
    alone: true,
    async run(context) {
      for (const skewMs of [SKEW_MS, -SKEW_MS]) {
        const off = <T>(run: () => Promise<T>): Promise<T> => withWallClock(skewMs, run);
        await fromTwoClocks(context, asBuckets(context, await off(() => context.openStore())), off);
      }
    },
  },
  {
    name: "when the store's clock jumps back, a bucket's time goes on from where it was, and units come back as slowly",
    needs: ["buckets", "shiftClock"],
    async run(context) {
      const shift = (byMs: number): Promise<void> => context.target.faults?.shiftClock?.(byMs) as Promise<void>;
      const bucket = await newBucket(context, { windowMs: context.ms(2_000) });
      await bucket.take(10);
      context.note(`the store's clock is shifted by ${-HOUR_MS} ms`);
      await shift(-HOUR_MS);
      try {
        const before = await bucket.look();
        await context.sleep(context.ms(500));
        const after = await bucket.take(1);
        const passedMs = after.storeTimeMs - before.storeTimeMs;
        context.that(
          passedMs >= context.ms(400),
          `the bucket's time went on by ${passedMs} ms in ${context.ms(500)} ms`,
        );
      } finally {
        await shift(HOUR_MS);
      }
    },
  },
  {
    name: "when the store's clock jumps ahead, units have come back, and what was in hand is spent",
    needs: ["buckets", "shiftClock"],
    async run(context) {
      const shift = (byMs: number): Promise<void> => context.target.faults?.shiftClock?.(byMs) as Promise<void>;
      const bucket = await newBucket(context, { windowMs: context.ms(60_000) });
      await bucket.take(10, bucket.hold(1, { forMs: context.ms(1_000) }));
      await shift(HOUR_MS);
      try {
        await bucket.take(10);
      } finally {
        await shift(-HOUR_MS);
      }
    },
  },
]);

/** A client with a wrong clock and an honest one take from one bucket. */
async function fromTwoClocks(
  context: CaseContext,
  skewed: BucketStore,
  off: <T>(run: () => Promise<T>) => Promise<T>,
): Promise<void> {
  const bucket = await newBucket(context);
  await bucket.take(6);
  const take: BucketStore["take"] = (...given) => off(() => skewed.take(...given));
  await bucket.take(3, {}, { take });
  await bucket.refused(2, {}, "one unit is left");
  await bucket.refused(2, {}, "one unit is left", { take });
  await paceOf(context, await newBucket(context), [await bucketStore(context), { take }], 3);
}

/** Whether the bucket's time passes as real time does, whichever of the stores is asked. */
function paceOf(
  context: CaseContext,
  bucket: Bucket,
  stores: readonly Pick<BucketStore, "take">[],
  calls = 6,
): Promise<void> {
  const asked = stores.map((store) => () => bucket.take(1, {}, store));
  return pace(context, asked, { calls, pauseMs: 20, mayStandStill: context.clockErrorMs > 0 });
}
