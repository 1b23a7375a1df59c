import { failure } from "@dt-tooling/backends/failure";
import { describe, expect, test } from "vitest";
import { bucketKey } from "../src/keys.ts";
import { one } from "./support/bucket-requests.ts";
import { redis, store, useServer } from "./support/own-server.ts";

useServer();

const packed = (values: string) => (key: string) =>
  redis.eval(`return redis.call('SET', KEYS[1], cmsgpack.pack(${values}))`, 1, key);

/** A row, and a list of what else there is of it. */
const with_ = (rest: string) => packed(`'f1', 1, 1, 5, 1000, 10, 0, { ${rest} }`);

const spoil: Record<string, (key: string) => Promise<unknown>> = {
  truncated: async (key) => redis.set(key, ((await redis.getBuffer(key)) as Buffer).subarray(0, 9)),
  empty: (key) => redis.set(key, ""),
  "of a text": (key) => redis.set(key, "hello"),
  "of a newer version": packed("'f2', 1, 1, 5, 1000, 10, 0"),
  "not a number": packed("'f1', 0/0, 1, 5, 1000, 10, 0"),
  "of the far future": packed("'f1', 1e17, 1, 5, 1000, 10, 0"),
  "with units that are a text": packed("'f1', 1, '1', 5, 1000, 10, 0"),
  "with units less than none": packed("'f1', 1, -1, 5, 1000, 10, 0"),
  "with a limit without a window": packed("'f1', 1, 1, 5, 0, 10, 0"),
  "with a limit that is a text": packed("'f1', 1, 1, '5', 1000, 10, 0"),
  "one field short": packed("'f1', 1, 1, 5, 1000, 10"),
  "one field longer": packed("'f1', 1, 1, 5, 1000, 10, 0, false, 1"),
  "with a rest that is a text": packed("'f1', 1, 1, 5, 1000, 10, 0, 'rest'"),
  "with a rest that is short": with_("0, 0"),
  "with hits that are none": with_("0, 0/0, 0, false, false, false, false"),
  "with a former limit that is none": with_("0, 0, 0, { 1, 1 }, false, false, false"),
  "with a hand without an owner": with_("0, 0, 0, false, { { 1, 1, 0, 1, 1, 0, 0, 0, false } }, false, false"),
  "with a hand that is short": with_("0, 0, 0, false, { { 'p', 1, 0, 1, 1 } }, false, false"),
  "with a hand without an end": with_("0, 0, 0, false, { { 'p', 1, 0, 1, 1/0, 0, 0, 0, false } }, false, false"),
  "with a slot without a time": with_("0, 0, 0, false, false, { { 's' } }, false"),
  "with a copy that is none": with_("0, 0, 0, false, false, false, { { 1, 1, 1, 0 } }"),
  "another type": (key) => redis.multi().del(key).lpush(key, "a text").exec(),
};

describe("a bucket whose value is not what was written", () => {
  test.each(Object.entries(spoil))(
    "%s: is said with the key and the remedy, others of the batch are served, and a reset makes it good",
    async (name, spoilIt) => {
      const key = bucketKey("dt", { name: "api", key: name });
      await store.take([one(name)]);
      await spoilIt(key);
      const before = await redis.dump(key);
      const damaged = {
        code: "DT_STORE_DATA",
        message: expect.stringMatching(/^redis key .* holds .*call resetBucket/),
      };
      const hold = { id: "p", seq: 1, spent: 0, keep: 0, forMs: 1_000 };
      for (const request of [one(name), one(name, { hold }), one(name, { stored: true })])
        expect(await store.take([one("other"), request, one(`another ${name}`)])).toEqual([
          expect.objectContaining({ inHand: 0 }),
          expect.objectContaining(damaged),
          expect.objectContaining({ inHand: 0 }),
        ]);
      const error = await failure(store.inspectBucket({ name: "api", key: name }));
      expect(error).toMatchObject(damaged);
      expect(error.message).toContain(key);
      expect(await redis.dump(key)).toBe(before);
      await store.resetBucket({ name: "api", key: name });
      expect(await store.inspectBucket({ name: "api", key: name })).toBeUndefined();
      expect(await store.take([one(name)])).toMatchObject([{ granted: 1, remaining: 9 }]);
      expect(await redis.pttl(key)).toBeGreaterThan(0);
    },
  );
});
