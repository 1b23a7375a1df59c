import { MemoryStore } from "@dt/core";
import { VirtualRuntime } from "@dt/core/testing";
import { describe, expect, it } from "vitest";
import { createBudget } from "../../src/index.ts";
import { priorityFleet, quantile } from "../support/priority-fleet.ts";

describe("urgent calls beside batch calls that take all that there is", () => {
  it("wait for nothing where batch leaves them a part, which batch pays for", async () => {
    const kept = await priorityFleet({ seed: 1, keep: 0.2 });
    expect(kept.urgentMedianMs).toBe(0);
    expect(kept.urgentP99Ms).toBeLessThanOrEqual(100);
    // Batch has four fifths, less what urgent calls take of them.
    expect(kept.batch).toBeGreaterThanOrEqual(380);
    expect(kept.batch).toBeLessThanOrEqual(480);
  });

  it("wait for their turns in the fleet's line where it leaves them nothing", async () => {
    const without = await priorityFleet({ seed: 1 });
    expect(without.urgentMedianMs).toBeGreaterThan(100);
    expect(without.urgentMedianMs).toBeLessThanOrEqual(1_000);
    expect(without.batch).toBeGreaterThanOrEqual(500);
  });

  it("come before those of their own process in any case", async () => {
    const runtime = new VirtualRuntime({ seed: 1 });
    const budget = createBudget({
      ...{ name: "api", limits: { requests: { rate: "600/min" } }, runtime },
      store: new MemoryStore({ runtime }),
    });
    const order: string[] = [];
    const call = async (kind: string, priority: number): Promise<void> => {
      (await budget.acquire({ requests: 1 }, { priority })).settle();
      order.push(kind);
    };
    const calls = Array.from({ length: 100 }, () => call("batch", -5));
    await runtime.advance(3_000);
    const before = order.length;
    for (let n = 0; n < 3; n++) calls.push(call("urgent", 5));
    await runtime.advance(1_000);
    // Two reservations of the batch may be in the fleet's line already.
    expect(order.slice(before, before + 5).filter((kind) => kind === "urgent")).toHaveLength(3);
    const stopped = budget.stop();
    await Promise.allSettled(calls);
    await stopped;
  });
});

describe("callers of one priority", () => {
  it("take turns by key: ten thousand calls of one key do not hold up twenty others", async () => {
    const runtime = new VirtualRuntime({ seed: 1 });
    const budget = createBudget({
      ...{ name: "api", limits: { requests: { rate: "600/min" } }, maxWaiters: 20_000, runtime },
      store: new MemoryStore({ runtime }),
    });
    const waits = { heavy: [] as number[], light: [] as number[] };
    const call = async (key: string, kind: keyof typeof waits): Promise<void> => {
      const lease = await budget.acquire({ requests: 1 }, { key });
      lease.settle();
      waits[kind].push(lease.waitedMs);
    };
    const calls: Promise<void>[] = [];
    for (let n = 0; n < 10_000; n++) calls.push(call("heavy", "heavy"));
    await runtime.advance(60_000);
    // Five calls a second of the ten that there are.
    for (let n = 0; n < 300; n++) {
      calls.push(call(`light ${n % 20}`, "light"));
      await runtime.advance(200);
    }
    await runtime.advance(5_000);
    expect(waits.light).toHaveLength(300);
    expect(quantile(waits.light, 0.5)).toBeLessThanOrEqual(500);
    // A turn of all keys takes 2.1 s.
    expect(Math.max(...waits.light)).toBeLessThanOrEqual(2_100);
    // The key with many calls has the rest.
    expect(waits.heavy.length + 300).toBeGreaterThanOrEqual(0.97 * 10 * 125);
    const stopped = budget.stop();
    await Promise.allSettled(calls);
    await stopped;
  });
});
