import { settle, VirtualRuntime } from "@dt/core/testing";
import { expect, test } from "vitest";
import { type ConcurrencyLimitEvents, createConcurrencyLimit, fixed } from "../../src/index.ts";

/** A limit that closes a window with every call that ends, and what was seen in each. */
function watched(size: number, options: { readonly maxHold?: number } = {}) {
  const runtime = new VirtualRuntime();
  const windows: ConcurrencyLimitEvents["window"]["window"][] = [];
  const algorithm = { ...fixed(size), window: () => ({ minMs: 1, maxMs: 1, minSamples: 1, maxSamples: 1 }) };
  const limit = createConcurrencyLimit({ algorithm, maxLag: 1, runtime, ...options });
  limit.on("window", ({ window }) => windows.push(window));
  return { runtime, limit, windows };
}

test("a slot that is held takes a place, and its call's time begins with begin()", async () => {
  const { runtime, limit, windows } = watched(1);
  const slot = await limit.acquire(1, { held: true });
  expect([slot.held, limit.inflight, limit.tryAcquire()]).toEqual([true, 1, undefined]);
  await runtime.advance(1_000);
  slot.begin();
  slot.begin();
  expect([slot.held, slot.startedMs, limit.inflight]).toEqual([false, 1_000, 1]);
  await runtime.advance(30);
  slot.success();
  expect(windows.at(-1)).toMatchObject({ minMs: 30, samples: 1 });
  slot.begin();
  expect([slot.startedMs, limit.inflight]).toEqual([1_000, 0]);
});

test("slots that are held are no calls in flight, and nobody waits for the limit's sake meanwhile", async () => {
  const { runtime, limit, windows } = watched(3);
  const [first, ...others] = await Promise.all([1, 2, 3].map(() => limit.acquire(1, { held: true })));
  const waiting = limit.acquire(1, { held: true });
  await settle();
  first?.begin();
  await runtime.advance(10);
  first?.success();
  // What is held took the places, and one who waits got that of the call that ended: one call was in flight.
  expect(windows.at(-1)).toMatchObject({ maxInflight: 1, limited: false });
  for (const slot of [...others, await waiting]) slot.begin();
  const held = limit.acquire();
  await runtime.advance(10);
  others[0]?.success();
  expect(windows.at(-1)).toMatchObject({ maxInflight: 3, limited: true });
  others[1]?.ignored();
  (await waiting).ignored();
  (await held).ignored();
  expect(limit.status()).toMatchObject({ inflight: 0, inflightCalls: 0 });
});

test("one that is settled without having begun leaves nothing behind, whatever it weighed", async () => {
  const { runtime, limit, windows } = watched(9);
  const slots = await Promise.all([0.1, 0.2, 0.7].map((cost) => limit.acquire(cost, { held: true })));
  for (const slot of slots) slot.ignored();
  const call = await limit.acquire();
  await runtime.advance(10);
  call.success();
  expect(windows.at(-1)).toMatchObject({ maxInflight: 1 });
  expect(limit.inflight).toBe(0);
});

test("maxHold is the time that a call may take: it begins anew when the call does", async () => {
  const { runtime, limit } = watched(9, { maxHold: 1_000 });
  const overdue: number[] = [];
  limit.on("overdue", ({ heldMs }) => overdue.push(heldMs));
  const early = await limit.acquire(1, { held: true });
  const late = await limit.acquire();
  await runtime.advance(600);
  early.begin();
  await runtime.advance(400);
  expect([early.open, late.open]).toEqual([true, false]);
  await runtime.advance(600);
  expect([early.open, late.open]).toEqual([false, false]);
  expect(overdue).toEqual([1_000, 1_000]);
});
