import { isDtError } from "@dt/core";
import type { BucketRow } from "@dt/core/ledger";
import { altered } from "../altered.ts";
import type { BucketFlaw } from "../bucket-flaw.ts";
import { bucketMutant, type Mutant, mutant } from "../flaw.ts";
import { patchBucket } from "./bucket-rows.ts";

/** A reset that leaves a part of the row. */
const leaving =
  (part: (row: BucketRow) => Partial<BucketRow>): NonNullable<BucketFlaw["reset"]> =>
  (table, proceed) => {
    const before = table.bucket;
    proceed();
    if (!before) return;
    const { lastMs, offsetMs } = before;
    const rest = { max: 0, windowMs: 0, burst: 0, concurrent: 0, used: 0, hits: 0, hitsUntilMs: 0 };
    table.putRow({ lastMs, offsetMs, ...rest, holds: [], slots: [], ...part(before) });
  };

/** K12 and K13: what is damaged, reset, looked at and forgotten. */
export const resetMutants: readonly Mutant[] = [
  bucketMutant("a reset leaves units taken", "K12", {
    reset: leaving(({ max, windowMs, burst, concurrent, used }) => ({ max, windowMs, burst, concurrent, used })),
  }),
  bucketMutant("a reset leaves what is in hand", "K12", { reset: leaving(({ holds }) => ({ holds })) }),
  bucketMutant("a reset leaves slots", "K12", { reset: leaving(({ slots }) => ({ slots })) }),
  bucketMutant("a reset leaves hits", "K12", { reset: leaving(({ hits, hitsUntilMs }) => ({ hits, hitsUntilMs })) }),
  bucketMutant("a reset leaves the limit", "K12", {
    reset: leaving(({ max, windowMs, burst, concurrent }) => ({ max, windowMs, burst, concurrent })),
  }),
  mutant("a reset takes along every bucket whose name begins like it", "K12", {
    wrap: (store, server) =>
      altered(store, {
        resetBucket: async (bucket, signal) => {
          await store.resetBucket(bucket, signal);
          const own = `${encodeURIComponent(bucket.name)}/${bucket.key}`;
          for (const [name, table] of server.buckets) if (name.startsWith(own)) table.forget();
        },
      }),
  }),
  bucketMutant("a bucket whose data is damaged is served as if it were new", "K12", { damaged: "served" }),
  bucketMutant("a reset does not mend a bucket whose data is damaged", "K12", { damaged: "kept" }),
  bucketMutant("a damaged bucket fails all requests of its call", "K12", {
    batch: async (requests, serve) => {
      const answers = await serve(requests);
      const error = answers.find((answer) => isDtError(answer, "DT_STORE_DATA"));
      return error ? answers.map(() => error) : answers;
    },
  }),
  bucketMutant("a look at a bucket gives back what is in hand", "K13", {
    inspect: ({ table }, proceed) => {
      const snapshot = proceed();
      patchBucket(table, () => ({ holds: [] }));
      return snapshot;
    },
  }),
  bucketMutant("an inspection shows what is in hand as free", "K13", {
    inspect: (_, proceed) => {
      const snapshot = proceed();
      return snapshot && { ...snapshot, held: 0 };
    },
  }),
  bucketMutant("a bucket of which nothing is left is shown", "K13", {
    inspect: ({ table, nowMs }, proceed) => {
      const snapshot = proceed();
      if (snapshot || !table.bucket) return snapshot;
      const empty = { remaining: 0, resetMs: 0, held: 0, inFlight: 0, hits: 0, hitsResetMs: 0 };
      return { name: "any", key: "any", ...empty, storeTimeMs: nowMs };
    },
  }),
  mutant("an inspection of a bucket takes any case of its key", "K13", {
    wrap: (store, server) =>
      altered(store, {
        inspectBucket: async (bucket, signal) => {
          const own = `${encodeURIComponent(bucket.name)}/${bucket.key}`.toLowerCase();
          const found = [...server.buckets.keys()].find((name) => name.toLowerCase() === own);
          const key = found?.slice(found.indexOf("/") + 1) ?? bucket.key;
          const snapshot = await store.inspectBucket({ ...bucket, key }, signal);
          return snapshot && { ...snapshot, key: bucket.key };
        },
      }),
  }),
  mutant("an inspection of a bucket does not settle where the signal is aborted", "K13", {
    wrap: (store) => altered(store, { inspectBucket: (bucket) => store.inspectBucket(bucket) }),
  }),
  mutant("an inspection of a damaged bucket shows nothing", "K13", {
    wrap: (store) =>
      altered(store, {
        inspectBucket: (...given) =>
          store.inspectBucket(...given).catch((error: unknown) => {
            if (isDtError(error, "DT_STORE_DATA")) return undefined;
            throw error;
          }),
      }),
  }),
  mutant("a list of buckets has names without what is not ASCII", "K13", {
    wrap: (store) =>
      altered(store, {
        listBuckets: async (...given) => {
          const page = await store.listBuckets(...given);
          const plain = (text: string): string => text.replace(/[^ -~]/g, "?");
          return { ...page, buckets: page.buckets.map(({ name, key }) => ({ name: plain(name), key: plain(key) })) };
        },
      }),
  }),
  mutant("a list of buckets ends with its first page", "K13", {
    wrap: (store) =>
      altered(store, {
        listBuckets: async (...given) => ({ buckets: (await store.listBuckets(...given)).buckets }),
      }),
  }),
  mutant("a bucket is listed as soon as a client looks for it", "K13", {
    wrap: (store) =>
      altered(store, {
        inspectBucket: async (bucket, signal) => {
          const snapshot = await store.inspectBucket(bucket, signal);
          if (!snapshot) await store.take([{ ...bucket, hits: { windowMs: 1e6, by: 0 } }]);
          return snapshot;
        },
      }),
  }),
  mutant("a cursor that no page of buckets gave begins the list anew", "K13", {
    wrap: (store) =>
      altered(store, {
        listBuckets: (cursor, signal) =>
          store.listBuckets(cursor, signal).catch((error: unknown) => {
            if (isDtError(error, "DT_INVALID_OPTION")) return store.listBuckets(undefined, signal);
            throw error;
          }),
      }),
  }),
  mutant("the signal of a list of buckets is ignored", "K13", {
    wrap: (store) => altered(store, { listBuckets: (cursor) => store.listBuckets(cursor) }),
  }),
  bucketMutant("buckets are kept for ever", "K13", { forgets: "nothing" }),
  bucketMutant("a bucket is forgotten while units of it are in hand", "K13", { forgets: "hands" }),
];
