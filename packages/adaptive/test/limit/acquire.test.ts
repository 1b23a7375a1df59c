import { VirtualRuntime } from "@dt/core/testing";
import { expect, test } from "vitest";
import { createConcurrencyLimit, fixed } from "../../src/index.ts";

const limitOf = (limit: number, runtime = new VirtualRuntime()) =>
  createConcurrencyLimit({ algorithm: fixed(limit), runtime });

test("so many slots are granted as the limit says, and a settled one is granted again", () => {
  const limit = limitOf(2);
  const slots = [limit.tryAcquire(), limit.tryAcquire()];
  expect(slots.every((slot) => slot !== undefined)).toBe(true);
  expect(limit.tryAcquire()).toBeUndefined();
  slots[0]?.success();
  expect(limit.inflight).toBe(1);
  expect(limit.tryAcquire()).toBeDefined();
});

test("a slot is settled once: what is said later gives nothing back", () => {
  const limit = limitOf(1);
  const slot = limit.tryAcquire();
  slot?.success();
  slot?.success();
  slot?.overload();
  slot?.[Symbol.dispose]();
  expect(limit.inflight).toBe(0);
  const other = limit.tryAcquire();
  slot?.ignored();
  expect([limit.inflight, other?.open]).toEqual([1, true]);
});

test("who waits gets the slot at once when it is settled, before any newcomer", async () => {
  const limit = limitOf(1);
  const first = await limit.acquire();
  const waiting = limit.acquire();
  first.success();
  expect(limit.inflight).toBe(1);
  expect(limit.tryAcquire()).toBeUndefined();
  expect((await waiting).open).toBe(true);
});

test("a caller whose time is up is refused, by its own timeout or by the limit's", async () => {
  const runtime = new VirtualRuntime();
  const limit = createConcurrencyLimit({ algorithm: fixed(1), runtime, acquireTimeout: "5s" });
  const slot = await limit.acquire();
  await expect(limit.acquire(1, { timeout: 0 })).rejects.toMatchObject({ code: "DT_TIMEOUT" });
  const ends: string[] = [];
  const note = (name: string) => (error: Error) => void ends.push(`${name} ${runtime.now()}: ${error.message}`);
  limit.acquire(1, { timeout: "1s" }).catch(note("own"));
  limit.acquire().catch(note("general"));
  await runtime.advance(5_000);
  const text = (ms: number): string => `no slot of the concurrency limit "limit" within ${ms} ms`;
  expect(ends).toEqual([
    expect.stringContaining(`own 1000: ${text(1_000)}`),
    expect.stringContaining(`general 5000: ${text(5_000)}`),
  ]);
  slot.success();
  expect(limit.tryAcquire()).toBeDefined();
});

test("a call that weighs more than the limit goes out alone", async () => {
  const limit = limitOf(10);
  const small = await limit.acquire();
  const large = limit.acquire(25);
  expect(limit.status()).toMatchObject({ inflight: 1, waiting: 1 });
  small.success();
  expect(limit.inflight).toBe(25);
  expect(limit.tryAcquire()).toBeUndefined();
  (await large).success();
  expect(limit.tryAcquire(10)).toBeDefined();
});

test("costs may be fractions, and nothing is left of them when all calls have ended", () => {
  const limit = limitOf(10);
  const slots = [0.1, 0.2].map((cost) => limit.tryAcquire(cost));
  for (const slot of slots) slot?.success();
  expect(limit.inflight).toBe(0);
});
