import type { Bucket } from "../../buckets/bucket.ts";
import { newBucket } from "../../buckets/bucket-stores.ts";
import { type CaseDefinition, casesOf } from "../../case.ts";

/** K6: calls in flight. */
export const slots: readonly CaseDefinition[] = casesOf({ rule: "K6", needs: ["buckets"] }, [
  {
    name: "a slot is taken with the cost or neither is, and what lacks is named",
    async run(context) {
      const bucket = await newBucket(context, { concurrent: 2 });
      const slot = (id: string) => ({ slot: { id, forMs: context.ms(60_000) } });
      await bucket.take(1, slot("a"));
      await bucket.take(1, slot("b"));
      const { limitedBy, waitMs } = await bucket.refused(1, slot("c"), "both slots are in use");
      context.equal(limitedBy, "concurrent", "what refuses a call where no slot is free");
      context.that(waitMs > 0 && waitMs <= context.ms(60_000), `a slot may be free in ${waitMs} ms`);
      await bucket.remains(8, "after a refusal for want of a slot");
      await bucket.take(8);
      await bucket.ask(0, { release: ["a"] });
      await bucket.refused(1, slot("d"), "no units are left");
      context.equal((await bucket.look()).inFlight, 1, "slots in use after a refusal for want of units");
    },
  },
  {
    name: "a slot that is given back is free at once, also for the same request; a slot that is not known gives nothing back",
    async run(context) {
      const bucket = await newBucket(context, { concurrent: 1 });
      const slot = (id: string) => ({ slot: { id, forMs: context.ms(60_000) } });
      await bucket.take(1, slot("a"));
      await bucket.refused(1, { ...slot("b"), release: ["nobody's"] }, "the slot is in use");
      await bucket.take(1, { ...slot("b"), release: ["a"] });
      await bucket.refused(1, slot("c"), "the slot is in use again");
    },
  },
  {
    name: "a slot whose time is over is free, is lost for who had it, and a renewed one is not",
    async run(context) {
      const bucket = await newBucket(context, { concurrent: 2 });
      const slot = (id: string) => ({ slot: { id, forMs: context.ms(300) } });
      await bucket.take(1, slot("kept"));
      await bucket.take(1, slot("gone"));
      const { lost } = await bucket.ask(0, { renew: ["kept"], renewMs: context.ms(60_000) });
      context.equal(lost.length, 0, "slots that are lost when they are renewed in time");
      await until(context, bucket);
      const late = await bucket.ask(0, { renew: ["gone", "kept", "nobody's"], renewMs: 0 });
      context.equal(late.lost.join(), "gone,nobody's", "slots that are lost");
      await bucket.take(1, slot("next"));
      context.equal((await bucket.look()).inFlight, 2, "slots in use, the renewed one and the next");
    },
  },
  {
    name: "a slot that is in use is not taken twice, and a request without one needs none",
    async run(context) {
      const bucket = await newBucket(context, { concurrent: 1 });
      const slot = { slot: { id: "a", forMs: context.ms(60_000) } };
      await bucket.take(1, slot);
      await bucket.take(1, slot);
      await bucket.take(1);
      context.equal((await bucket.look()).inFlight, 1, "slots in use");
      await bucket.ask(0, { release: ["a"] });
      context.equal((await bucket.look()).inFlight, 0, "slots in use after it was given back");
    },
  },
  {
    name: "slots whose ids are nearly the same are different slots",
    async run(context) {
      const bucket = await newBucket(context, { concurrent: 6, burst: 100 });
      const ids = ["a", "A", "a ", "ä", `${"x".repeat(1_023)}a`, `${"x".repeat(1_023)}b`];
      for (const id of ids) await bucket.take(1, { slot: { id, forMs: context.ms(60_000) } });
      context.equal((await bucket.look()).inFlight, 6, "slots with nearly the same ids");
      await bucket.ask(0, { release: ["a", ids[4] as string] });
      const { lost } = await bucket.ask(0, { renew: ids, renewMs: 0 });
      context.equal(JSON.stringify(lost), JSON.stringify(["a", ids[4]]), "slots that were given back");
    },
  },
]);

/** Waits until one of two slots is free by itself. */
function until(context: Parameters<CaseDefinition["run"]>[0], bucket: Bucket): Promise<true> {
  return context.until(
    async () => ((await bucket.look()).inFlight === 1 ? true : undefined),
    "a slot whose time is over is not free",
  );
}
