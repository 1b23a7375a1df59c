import { failure } from "@dt-tooling/backends/failure";
import { describe, expect, test } from "vitest";
import { AMPLE, one } from "./support/bucket-requests.ts";
import { admin, openPatientStore, schema, useOwnServer } from "./support/own-server.ts";

useOwnServer({ config: { fsync: "off" } });

const bucket = { name: "api", key: "k" };

describe("a bucket whose row is not what was written", () => {
  test.each([
    "last_ms = 'NaN'",
    "offset_ms = 1e300",
    "max = -1",
    "window_ms = 0",
    "burst = 'Infinity'",
    "concurrent = -1",
    "used = -1",
    "hits = 'NaN'",
    "hits_until_ms = 'Infinity'",
    "holds = ARRAY[NULL]::{schema}.dt_bucket_hold[]",
    "holds = ARRAY[('p', 1, 0, -1, 1, 0, 0, 0, false)::{schema}.dt_bucket_hold]",
    "holds = ARRAY[('p', 1, 0, 1, 'NaN', 0, 0, 0, false)::{schema}.dt_bucket_hold]",
    "slots = ARRAY[('', 1)::{schema}.dt_bucket_slot]",
    "slots = ARRAY[('s', NULL)::{schema}.dt_bucket_slot]",
    "former = '{1,1}'",
    "stored_revision = 1",
    "stored_revision = 1, stored = '{1,1,1,0}', declared_ms = 0, declared = '{0,1,1,0}'",
  ])(
    "%s is said with the bucket and the remedy, other buckets are served, and a reset makes it good",
    async (change) => {
      const store = openPatientStore();
      await store.take([one("k", AMPLE)]);
      await admin.run(`UPDATE ${schema}.dt_bucket SET ${change.replaceAll("{schema}", schema)}`);
      const damaged = {
        code: "DT_STORE_DATA",
        message: expect.stringMatching(/row of bucket api\/k in dt_bucket holds .*call resetBucket/),
      };
      expect(await store.take([one("other", AMPLE), one("k", AMPLE)])).toEqual([
        expect.objectContaining({ granted: 1 }),
        expect.objectContaining(damaged),
      ]);
      expect(await failure(store.inspectBucket(bucket))).toMatchObject(damaged);
      await store.resetBucket(bucket);
      expect(await store.inspectBucket(bucket)).toBeUndefined();
      expect(await store.take([one("k", AMPLE)])).toEqual([expect.objectContaining({ granted: 1 })]);
    },
  );
});
