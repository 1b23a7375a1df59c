import type { BucketRequest } from "@dt/core";
import type { Bucket } from "../../buckets/bucket.ts";
import { bucketStore, newBucket } from "../../buckets/bucket-stores.ts";
import { type CaseDefinition, casesOf } from "../../case.ts";
import { NOT_NAMES } from "../not-names.ts";

const NOT_NUMBERS = [Number.NaN, "10", null, undefined];
const NOT_AMOUNTS = [-1, Number.POSITIVE_INFINITY, 1e13, ...NOT_NUMBERS];
const NOT_COUNTS = [0.5, ...NOT_AMOUNTS];

/** K11: what is refused before anything is written: a number that is none would spoil the bucket for all its users. */
export const arguments_: readonly CaseDefinition[] = casesOf({ rule: "K11", needs: ["buckets"] }, [
  {
    name: "a malformed request of a bucket is refused, and nothing of the call counts",
    async run(context) {
      const [bucket, other] = [await newBucket(context), await newBucket(context)];
      const store = await bucketStore(context);
      await bucket.take(3, bucket.hold(1));
      for (const [field, wrong] of malformed(bucket)) {
        // Beside one that is right, and would show.
        const request = { ...bucket.request(1, bucket.hold(2, { spent: 0, keep: 0 })), ...wrong } as BucketRequest;
        const shown = JSON.stringify(wrong)?.slice(0, 100);
        const call = store.take([other.request(1), request]);
        await context.refused(call, ["DT_INVALID_OPTION"], `${field} of ${shown}`);
      }
      context.equal((await bucket.ask(0, bucket.hold(2))).inHand, 3, "units in hand after all that was malformed");
      context.equal((await other.look()).remaining, 10, "units of a bucket beside all that was malformed");
    },
  },
  {
    name: "a call without requests, or with more than 1,000, is refused",
    async run(context) {
      const bucket = await newBucket(context);
      const store = await bucketStore(context);
      for (const requests of [[], Array(1_001).fill(bucket.request(1)), {}, null, undefined, "x"])
        await context.refused(store.take(requests as never), ["DT_INVALID_OPTION"], "take of no list of 1 to 1,000");
      await bucket.take(10);
    },
  },
]);

function* malformed(bucket: Bucket): Generator<readonly [field: string, wrong: object]> {
  for (const name of NOT_NAMES) yield ["name", { name }];
  for (const key of NOT_NAMES) yield ["key", { key }];
  const { limit } = bucket;
  const { take, hold } = bucket.request(1, bucket.hold(2));
  for (const name of ["limit", "formerLimit"] as const) {
    for (const value of [0, ...NOT_AMOUNTS])
      for (const field of ["max", "windowMs", "burst"]) yield [field, { [name]: { ...limit, [field]: value } }];
    for (const concurrent of [0, 0.5, 1_001, -1, "2", null]) yield ["concurrent", { [name]: { ...limit, concurrent } }];
  }
  yield ["limit", { limit: undefined }];
  for (const stored of ["yes", 1, null]) yield ["stored", { stored }];
  for (const cost of [0, 11, ...NOT_COUNTS]) yield ["cost", { take: { ...take, cost } }];
  for (const ms of NOT_AMOUNTS) yield ["maxWaitMs", { take: { ...take, maxWaitMs: ms } }];
  for (const ms of NOT_AMOUNTS) yield ["aheadWithinMs", { take: { ...take, aheadWithinMs: ms } }];
  for (const ahead of NOT_COUNTS) yield ["ahead", { take: { ...take, ahead } }];
  yield ["maxWaitMs without hold", { take: { ...take, maxWaitMs: 1 }, hold: undefined }];
  yield ["ahead without hold", { take: { ...take, ahead: 1 }, hold: undefined }];
  for (const id of NOT_NAMES) {
    yield ["a slot's id", { take: { ...take, slot: { id, forMs: 1 } } }];
    yield ["a process's id", { hold: { ...hold, id } }];
    yield ["a renewed slot's id", { renew: [id] }];
    yield ["a released slot's id", { release: [id] }];
  }
  for (const forMs of NOT_AMOUNTS) yield ["a slot's time", { take: { ...take, slot: { id: "s", forMs } } }];
  for (const field of ["seq", "spent", "keep"])
    for (const value of [0.5, -1, ...NOT_NUMBERS]) yield [field, { hold: { ...hold, [field]: value } }];
  yield ["seq", { hold: { ...hold, seq: 0 } }];
  for (const forMs of NOT_AMOUNTS) yield ["a time in hand", { hold: { ...hold, forMs } }];
  for (const renewMs of [-1, 1e13, Number.NaN, "1", null]) yield ["renewMs", { renewMs }];
  for (const list of ["s", {}, Array(1_001).fill("s"), null]) {
    yield ["renew", { renew: list }];
    yield ["release", { release: list }];
  }
  for (const windowMs of [0, ...NOT_AMOUNTS]) yield ["a window of hits", { hits: { windowMs, by: 1 } }];
  for (const by of [0.5, 1e7, -1e7, ...NOT_NUMBERS]) yield ["hits", { hits: { windowMs: 1_000, by } }];
}
