import { newBucket } from "../../buckets/bucket-stores.ts";
import { type CaseDefinition, casesOf } from "../../case.ts";

/** K5: units in hand. */
export const holds: readonly CaseDefinition[] = casesOf({ rule: "K5", needs: ["buckets"] }, [
  {
    name: "what is neither spent nor kept goes back, what is spent does not, and no more is kept than there was",
    async run(context) {
      const bucket = await newBucket(context);
      const first = await bucket.take(1, { ...bucket.hold(1), ahead: 7 });
      context.equal(first.inHand, 8, "units in hand after eight were granted");
      const second = await bucket.ask(0, bucket.hold(2, { spent: 3, keep: 2 }));
      context.equal(second.inHand, 2, "units in hand where two are kept");
      await bucket.remains(5, "after three of eight were spent and two are kept");
      const third = await bucket.ask(0, bucket.hold(3, { spent: 4, keep: 50 }));
      context.equal(third.inHand, 1, "units in hand where one of two was spent and fifty are kept");
      await bucket.remains(5, "after one more was spent");
      const last = await bucket.ask(0, bucket.hold(4, { spent: 4, keep: 0 }));
      context.equal(last.inHand, 0, "units in hand where none is kept");
      await bucket.remains(6, "after the last went back");
    },
  },
  {
    name: "more is never spent than was in hand, and a report of less than before changes nothing",
    async run(context) {
      const bucket = await newBucket(context);
      await bucket.take(4, bucket.hold(1));
      await bucket.ask(0, bucket.hold(2, { spent: 3 }));
      await bucket.ask(0, bucket.hold(3, { spent: 1, keep: 1 }));
      await bucket.remains(6, "after a report of less than before");
      await bucket.ask(0, bucket.hold(4, { spent: 500 }));
      await bucket.remains(6, "after a report of more than was in hand");
    },
  },
  {
    name: "no more than the burst is in hand of all processes together, also where units are due soon",
    why: "all that is in hand may be spent at one time",
    async run(context) {
      const bucket = await newBucket(context, { windowMs: context.ms(1_000), max: 100, burst: 10 });
      await bucket.take(6, bucket.hold(1));
      await bucket.take(3, bucket.hold(1, { id: "q" }));
      await context.sleep(context.ms(200));
      const rest = await bucket.ask(1, {
        ...bucket.hold(2),
        ahead: 5,
        maxWaitMs: context.ms(5_000),
        aheadWithinMs: 1_000,
      });
      context.equal(rest.granted, 1, "granted where nine of ten are in hand");
      await bucket.refused(1, { ...bucket.hold(2, { id: "q" }), maxWaitMs: context.ms(5_000) }, "all are in hand");
    },
  },
  {
    name: "what is in hand has not begun to come back",
    async run(context) {
      const bucket = await newBucket(context, { windowMs: context.ms(1_000), max: 50, burst: 10 });
      await bucket.take(8, bucket.hold(1));
      await context.sleep(context.ms(300));
      context.equal((await bucket.look()).remaining, 2, "units left while eight of ten are in hand");
      await bucket.ask(0, bucket.hold(2, { spent: 8 }));
      await context.until(
        async () => ((await bucket.look()).remaining === 10 ? true : undefined),
        "what was spent does not come back",
      );
    },
  },
  {
    name: "what is in hand when its time is over is spent, and comes back from then on; the others keep theirs",
    why: "a process that died has spent its units or not: the store cannot know",
    async run(context) {
      const bucket = await newBucket(context, { windowMs: context.ms(4_000), max: 20, burst: 10 });
      await bucket.take(4, bucket.hold(1, { id: "dead", forMs: context.ms(400) }));
      await bucket.take(3, bucket.hold(1, { id: "alive", forMs: context.ms(60_000) }));
      const room = bucket.hold(1, { id: "new" });
      await context.until(
        async () =>
          (await bucket.ask(1, { ...room, ahead: 6, maxWaitMs: context.ms(4_000) })).granted > 0 ? true : undefined,
        "what a process has in hand is never over",
      );
      await context.sleep(context.ms(500));
      const { inHand } = await bucket.ask(0, bucket.hold(2, { id: "alive" }));
      context.equal(inHand, 3, "units in hand of a process whose time is not over");
      await bucket.ask(0, bucket.hold(2, { id: "dead", spent: 4 }));
    },
  },
  {
    name: "what is kept may be spent for as long as the last report allows",
    async run(context) {
      const bucket = await newBucket(context);
      await bucket.take(4, bucket.hold(1, { forMs: context.ms(150) }));
      await bucket.ask(0, bucket.hold(2, { forMs: context.ms(60_000) }));
      await context.sleep(context.ms(300));
      const { inHand } = await bucket.ask(0, bucket.hold(3, { spent: 1, forMs: context.ms(150) }));
      context.equal(inHand, 3, "units in hand after a longer time was reported");
      await context.sleep(context.ms(300));
      context.equal((await bucket.ask(0, bucket.hold(4, { spent: 1 }))).inHand, 3, "units in hand after a shorter one");
    },
  },
]);
