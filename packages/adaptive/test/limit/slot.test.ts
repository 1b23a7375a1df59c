import type { Slot as SlotOfAnyLimiter } from "@dt/core";
import { VirtualRuntime } from "@dt/core/testing";
import { expect, test } from "vitest";
import { type ConcurrencyLimitOptions, createConcurrencyLimit, fixed } from "../../src/index.ts";
import { scripted } from "../support/scripted.ts";

function limitOf(options: ConcurrencyLimitOptions = {}) {
  const runtime = new VirtualRuntime();
  return { runtime, limit: createConcurrencyLimit({ name: "search", algorithm: fixed(2), runtime, ...options }) };
}

test("release is ignored: it gives the slot back once, and no outcome is reported", async () => {
  const algorithm = scripted(1);
  const { limit } = limitOf({ algorithm });
  const slot: SlotOfAnyLimiter = await limit.acquire();
  slot.release();
  expect(limit.inflight).toBe(0);
  const next = await limit.acquire();
  slot.release();
  slot[Symbol.dispose]();
  expect([limit.inflight, slot.lost, next.open]).toEqual([1, false, true]);
  expect(algorithm.seen).toEqual([]);
});

test("the signal of a slot that is held for longer than maxHold fires, and the slot is lost", async () => {
  const { runtime, limit } = limitOf({ maxHold: "5s" });
  const [watched, unwatched] = [await limit.acquire(), await limit.acquire()];
  const { signal } = watched;
  await runtime.advance(4_999);
  expect([signal.aborted, watched.lost, unwatched.lost]).toEqual([false, false, false]);
  await runtime.advance(1);
  for (const slot of [watched, unwatched]) {
    expect([slot.lost, slot.signal.aborted]).toEqual([true, true]);
    expect(slot.signal.reason).toMatchObject({ code: "DT_SLOT_OVERDUE", message: /"search".*maxHold.*5000 ms/ });
  }
  expect(watched.signal).toBe(signal);
});

test("the signals of open slots fire when the limit is stopped, looked at before or after", async () => {
  const { limit } = limitOf();
  const [watched, unwatched] = [await limit.acquire(), await limit.acquire()];
  const { signal } = watched;
  let reason: unknown;
  signal.addEventListener("abort", () => {
    reason = signal.reason;
  });
  await limit.stop();
  expect(reason).toMatchObject({ code: "DT_SLOT_LOST", message: /"search" was stopped/ });
  expect([watched.lost, unwatched.lost]).toEqual([true, true]);
  expect(unwatched.signal.reason).toMatchObject({ code: "DT_SLOT_LOST" });
});

test("a slot that was open when the limit was stopped stays lost once it is settled", async () => {
  const { limit } = limitOf();
  const slot = await limit.acquire();
  await limit.stop();
  slot.success();
  expect([slot.open, slot.lost, limit.inflight]).toEqual([false, true, 0]);
  expect(slot.signal.aborted).toBe(true);
});

test("the signal of a slot that was settled never fires", async () => {
  const { runtime, limit } = limitOf({ maxHold: "1s" });
  const [before, after] = [await limit.acquire(), await limit.acquire()];
  const { signal } = before;
  before.success();
  after.success();
  await runtime.advance(1_000);
  await limit.stop();
  expect([signal.aborted, after.signal.aborted, before.lost, after.lost]).toEqual([false, false, false, false]);
});

test("a call of run ends by its slot's signal", async () => {
  const { runtime, limit } = limitOf({ maxHold: "1s" });
  const call = limit.run(
    ({ signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
  );
  const ended = expect(call).rejects.toMatchObject({ code: "DT_SLOT_OVERDUE" });
  await runtime.advance(1_000);
  await ended;
});
