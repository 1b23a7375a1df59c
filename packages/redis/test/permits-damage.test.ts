import { createPacer } from "@dt/core";
import { failure } from "@dt-tooling/backends/failure";
import { permitRequest } from "@dt-tooling/simulator/requests";
import type { Redis } from "ioredis";
import { beforeEach, describe, expect, test } from "vitest";
import type { RedisStore } from "../src/index.ts";
import { permitKeys } from "../src/keys.ts";
import { listenersOf } from "./support/channel.ts";
import { openClient, openStore, ownServer } from "./support/keep.ts";

let url: string;
let admin: Redis;
let store: RedisStore;

beforeEach(async () => {
  url = (await ownServer()).url;
  admin = openClient(url);
  store = openStore({ url });
});

/** A row that the server itself makes. */
const row = (values: string): string => `return redis.call('HSET', KEYS[1], 'row', cmsgpack.pack(${values}))`;

describe("a key whose data is not what was written", () => {
  const spoil: Record<string, (key: string) => Promise<unknown>> = {
    truncated: async (key) => {
      const packed = (await admin.hgetBuffer(key, "row")) as Buffer;
      await admin.hset(key, "row", packed.subarray(0, packed.length - 5));
    },
    empty: (key) => admin.hset(key, "row", ""),
    "of a text": (key) => admin.hset(key, "row", "hello"),
    "not a number": (key) => admin.eval(row("'f1', 0/0, 1, 0, 0, 0, 0, 0, 0, '', '', 0"), 1, key),
    "paused by a text": (key) => admin.eval(row("'f1', 1, 1, 0, 0, 0, 0, 0, 0, '', '', 'x'"), 1, key),
    huge: (key) => admin.eval(row("'f1', 1e300, 1, 0, 0, 0, 0, 0, 0, '', '', 0"), 1, key),
    "of a newer version": (key) => admin.eval(row("'f2', 1, 1, 0, 0, 0, 0, 0, 0, '', '', 0, 'more'"), 1, key),
    "from before the first release": (key) => admin.eval(row("1, 1, 1, 0, 0, 0, 0, 0, 0, '', '', 0"), 1, key),
    "one field short": (key) => admin.eval(row("'f1', 1, 1, 0, 0, 0, 0, 0, 0, ''"), 1, key),
    "another type": async (key) => {
      await admin.del(key);
      await admin.set(key, "a text");
    },
    "another type of its queue": async (key) => {
      await admin.del(`${key}:queue`);
      await admin.set(`${key}:queue`, "a text");
    },
  };

  test.each(Object.entries(spoil))(
    "%s: is said with the key and the remedy, and a reset makes it good",
    async (name, spoilIt) => {
      const key = `damaged ${name}`;
      const [first] = permitKeys("dt", key).keys as [string];
      await store.reserve(key, permitRequest());
      await spoilIt(first);
      const before = await admin.dump(first);
      for (const call of [
        () => store.reserve(key, permitRequest({ maxReserved: 5, queueMs: 100 })),
        () => store.release(key, { id: "r", keep: 0 }),
      ]) {
        const error = await failure(call());
        expect(error.code).toBe("DT_STORE_DATA");
        expect(error.message).toMatch(/^redis key .*holds .*call resetPermits\(key\)/);
        expect(error.message).toContain(first);
      }
      expect(await admin.dump(first)).toBe(before);
      await store.resetPermits(key);
      expect(await store.reserve(key, permitRequest({ maxReserved: 5 }))).toMatchObject({ granted: 1 });
      expect(await admin.pttl(first)).toBeGreaterThan(0);
    },
  );
});

test("pacers of other terms are refused, also by other processes, and a reset ends a block and wakes those who wait", async () => {
  const other = openStore({ url });
  const slow = createPacer({ name: "terms", every: "1h", store });
  expect(await slow.tryAcquire(24)).toMatchObject({ lateMs: expect.any(Number) });
  const fast = createPacer({ name: "terms", every: "10ms", store: other });
  expect(await failure(fast.acquire())).toMatchObject({
    code: "DT_PACE_MISMATCH",
    message: expect.stringContaining('"every 3600000 ms, burst 1", and this request asks for "every 10 ms, burst 1"'),
  });
  const waits = createPacer({ name: "terms", every: "1h", maxReserved: 1, store: other });
  const granted = waits.acquire(1, { timeout: "30s" });
  await expect.poll(() => listenersOf(admin, permitKeys("dt", "terms"))).toBe(1);
  await store.resetPermits("terms");
  expect(await granted).toBeDefined();
  await Promise.all([slow, fast, waits].map((pacer) => pacer.stop()));
});
