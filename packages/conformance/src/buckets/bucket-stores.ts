import type { BucketLimit, CoordinationStore } from "@dt/core";
import { type CaseContext, LONG_MS } from "../context.ts";
import { SkippedCase } from "../failure.ts";
import { Bucket } from "./bucket.ts";
import type { BucketStore } from "./bucket-store.ts";

type Optional = "resetBucket" | "inspectBucket" | "listBuckets" | "setLimit";
type Having<Name extends Optional> = BucketStore & Required<Pick<BucketStore, Name>>;

/**
 * The store as a ledger of buckets.
 * @throws SkippedCase when it is none, unless the target says that it is
 */
export function asBuckets(context: CaseContext, store: CoordinationStore): BucketStore {
  if (context.has(store, "take")) return store as BucketStore;
  if (context.target.buckets === true) context.fail("the target promises buckets, and the store has no take()");
  throw new SkippedCase("the store keeps no buckets (it has no take())");
}

/** The case's first store as a ledger of buckets. */
export async function bucketStore(context: CaseContext): Promise<BucketStore> {
  return asBuckets(context, await context.store());
}

/** Another client of the same buckets; the same store again when the target's stores share nothing. */
export async function bucketClient(context: CaseContext): Promise<BucketStore> {
  return asBuckets(context, await context.client());
}

/** The case's first store and some other clients. */
export async function bucketClients(context: CaseContext, count: number): Promise<BucketStore[]> {
  const stores = [await bucketStore(context)];
  while (stores.length < count) stores.push(await bucketClient(context));
  return stores;
}

/** @throws SkippedCase where the store cannot reset a bucket */
export function resetsBuckets(context: CaseContext, store: BucketStore): Having<"resetBucket"> {
  return having(context, store, "resetBucket", "cannot reset a bucket");
}

/** @throws SkippedCase where the store does not inspect buckets */
export function inspectsBuckets(context: CaseContext, store: BucketStore): Having<"inspectBucket"> {
  return having(context, store, "inspectBucket", "does not inspect buckets");
}

/** @throws SkippedCase where the store does not list its buckets */
export function listsBuckets(context: CaseContext, store: BucketStore): Having<"listBuckets"> {
  return having(context, store, "listBuckets", "lists no buckets");
}

/** @throws SkippedCase where the store keeps no stored limits */
export function setsLimits(context: CaseContext, store: BucketStore): Having<"setLimit"> {
  return having(context, store, "setLimit", "keeps no stored limits");
}

/** What a case may say of a bucket. */
export interface BucketOptions extends Partial<BucketLimit> {
  readonly name?: string;
  readonly key?: string;
}

/**
 * A bucket that no caller has used: 5 units in a window so long that none comes back while the case runs unless it says
 * otherwise, with a burst of 10.
 */
export async function newBucket(context: CaseContext, options: BucketOptions = {}): Promise<Bucket> {
  const { name = context.group(), key = "a", ...limit } = options;
  const all = { max: 5, windowMs: context.ms(10 * LONG_MS), burst: 10, ...limit };
  return new Bucket(await bucketStore(context), { name, key }, all, context.rule, (rule, summary) =>
    context.fail(summary, rule),
  );
}

function having<Name extends Optional>(
  context: CaseContext,
  store: BucketStore,
  name: Name,
  what: string,
): Having<Name> {
  if (!context.has(store, name)) throw new SkippedCase(`the store ${what} (it has no ${name}())`);
  return store as Having<Name>;
}
