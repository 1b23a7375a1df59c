import { VirtualRuntime } from "@dt/core/testing";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type ConcurrencyLimitOptions, createConcurrencyLimit, fixed, type Slot } from "../../src/index.ts";
import { scripted } from "../support/scripted.ts";

type Step =
  | {
      readonly do: "try" | "wait";
      readonly cost: number;
      readonly priority: number;
      readonly partition: string | undefined;
    }
  | { readonly do: "settle" | "abort"; readonly which: number; readonly limit: number }
  | { readonly do: "pass"; readonly ms: number };

const steps = fc.array(
  fc.oneof(
    fc.record({
      do: fc.constantFrom("try" as const, "wait" as const),
      cost: fc.constantFrom(1, 1, 1, 2, 3.5, 30),
      priority: fc.constantFrom(0, 0, 0, 3, -4),
      partition: fc.constantFrom(undefined, "a", "b"),
    }),
    fc.record({
      do: fc.constantFrom("settle" as const, "settle" as const, "abort" as const),
      which: fc.nat(50),
      limit: fc.constantFrom(1, 2.5, 7.5, 10, 20),
    }),
    fc.record({ do: fc.constant("pass" as const), ms: fc.constantFrom(1, 120, 400) }),
  ),
  { maxLength: 120 },
);

/**
 * Plays a script; after each step what is in flight must fit. Then everything is settled, and everybody must have been
 * answered.
 */
async function play(script: readonly Step[], order: "fifo" | "lifo", partitioned: boolean): Promise<void> {
  const runtime = new VirtualRuntime();
  const algorithm = scripted(5);
  const partitions: Partial<ConcurrencyLimitOptions> = partitioned ? { partitions: { a: 50, b: 30 } } : {};
  const limit = createConcurrencyLimit({ algorithm, runtime, order, maxWaiters: 8, ...partitions });
  const open: Slot[] = [];
  const waiting: { controller: AbortController; done: boolean }[] = [];
  let granted = 0;
  const took = (slot: Slot): void => {
    open.push(slot);
    granted += 1;
  };
  /**
   * Whatever was granted in a step fits, unless it is alone; where nothing was granted, no more is in flight than
   * before.
   */
  const fits = (inflightBefore: number, grantedBefore: number): void => {
    const { inflight, inflightCalls, calls, limit: allowed } = limit.status();
    if (calls.granted === grantedBefore) expect(inflight).toBeLessThanOrEqual(inflightBefore);
    else if (inflightCalls > 1) expect(inflight).toBeLessThanOrEqual(allowed + 1e-9);
  };
  const step = async (next: Step): Promise<void> => {
    if (next.do === "pass") return runtime.advance(next.ms);
    if ("cost" in next) {
      const { cost, priority } = next;
      const partition = partitioned ? next.partition : undefined;
      if (next.do === "try") {
        const slot = limit.tryAcquire(cost, { priority, partition });
        if (slot) took(slot);
        return;
      }
      const caller = { controller: new AbortController(), done: false };
      waiting.push(caller);
      limit.acquire(cost, { priority, partition, signal: caller.controller.signal, timeout: "1s" }).then(
        (slot) => {
          caller.done = true;
          took(slot);
        },
        () => {
          caller.done = true;
        },
      );
      return;
    }
    algorithm.wanted = next.limit;
    if (next.do === "abort") waiting[next.which % Math.max(1, waiting.length)]?.controller.abort(new Error("enough"));
    else
      open.splice(next.which % Math.max(1, open.length), 1)[0]?.settle(next.which % 3 === 0 ? "overload" : "success");
  };
  for (const next of script) {
    const { inflight, calls } = limit.status();
    await step(next);
    fits(inflight, calls.granted);
    // Whether a race was decided for the slot or for the abort: nothing is lost in between.
    if (next.do !== "abort" || next.which % 2 === 0) await runtime.advance(0);
    expect(limit.status().inflightCalls).toBeGreaterThanOrEqual(open.length);
  }
  for (let rounds = 0; rounds < 500 && (open.length > 0 || limit.status().waiting > 0); rounds++) {
    open.splice(0).forEach((slot) => void slot.ignored());
    await runtime.advance(10);
  }
  await runtime.advance(1_000);
  open.splice(0).forEach((slot) => void slot.ignored());
  expect(waiting.every(({ done }) => done)).toBe(true);
  expect(limit.status()).toMatchObject({ inflight: 0, inflightCalls: 0, waiting: 0, calls: { granted } });
  await limit.stop();
  expect(runtime.pendingTimers).toBe(0);
}

test("whatever comes, waits, aborts and ends: what is granted fits, and no slot is lost", async () => {
  const property = fc.asyncProperty(steps, fc.constantFrom("fifo" as const, "lifo" as const), fc.boolean(), play);
  await fc.assert(property, { numRuns: 300 });
});

test("an abort in the very turn in which a slot is granted loses no slot, whichever comes first", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 20 }), fc.boolean(), async (aborts, first) => {
      const limit = createConcurrencyLimit({ algorithm: fixed(1), runtime: new VirtualRuntime() });
      const slot = await limit.acquire();
      const callers = aborts.map((aborted) => ({ aborted, controller: new AbortController() }));
      const ends = callers.map(({ controller: { signal } }) =>
        limit.acquire(1, { signal }).then(
          (granted) => granted.success(),
          () => undefined,
        ),
      );
      const abort = (): void => {
        for (const { aborted, controller } of callers) if (aborted) controller.abort();
      };
      if (first) abort();
      slot.success();
      if (!first) abort();
      await Promise.all(ends);
      expect(limit.status()).toMatchObject({ inflight: 0, waiting: 0 });
      expect(limit.tryAcquire()).toBeDefined();
      await limit.stop();
    }),
  );
});

test("in a fifo nobody starves: everybody is served after at most all those who came before, whatever they cost", async () => {
  const costs = fc.array(fc.integer({ min: 1, max: 15 }), { minLength: 2, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(costs, fc.integer({ min: 1, max: 12 }), async (all, room) => {
      const limit = createConcurrencyLimit({ algorithm: fixed(room), runtime: new VirtualRuntime() });
      const served: number[] = [];
      const ends = all.map(async (cost, n) => {
        const slot = await limit.acquire(cost);
        served.push(n);
        // A newcomer that would fit must not push in.
        limit.tryAcquire(1)?.ignored();
        await Promise.resolve();
        slot.success();
      });
      await Promise.all(ends);
      expect(served).toEqual(all.map((_, n) => n));
    }),
  );
});
