import type { ThrottlingReason } from "@dt/signal";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ThrottleState } from "../src/client/throttle-state.ts";
import { ThrottleCounts } from "../src/metrics/throttle-counts.ts";
import { BufferBudget } from "../src/server/buffer-budget.ts";
import { TokenBucket } from "../src/server/token-bucket.ts";

describe("a token bucket", () => {
  it("that is asked before every message is never exceeded by more than one message, whatever the messages are", () => {
    const steps = fc.array(fc.record({ waitMs: fc.nat({ max: 3_000 }), cost: fc.integer({ min: 1, max: 50 }) }), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), steps, (perSecond, all) => {
        const bucket = new TokenBucket(perSecond, 0);
        let [nowMs, taken, largest] = [0, 0, 0];
        for (const { waitMs, cost } of all) {
          nowMs += waitMs;
          if (bucket.level(nowMs) <= 0) continue;
          bucket.take(cost, nowMs);
          taken += cost;
          largest = Math.max(largest, cost);
          expect(taken).toBeLessThanOrEqual(perSecond + (nowMs / 1_000) * perSecond + largest + 1e-6);
        }
      }),
    );
  });

  it("goes into debt, and pays it before anything else", () => {
    const bucket = new TokenBucket(10, 0);
    bucket.take(35, 0);
    expect([bucket.level(0), bucket.level(2_000), bucket.level(2_600), bucket.level(60_000)]).toEqual([-25, -5, 1, 10]);
  });
});

describe("what a producer was told", () => {
  it("overlaps correctly: each reason lasts until its latest end, and the producer as long as any of them", () => {
    const reason = fc.constantFrom<ThrottlingReason>(
      "TopicProduceQuotaExceeded",
      "ResourceGroupProduceQuotaExceeded",
      "BrokerProduceQuotaExceeded",
    );
    const signal = fc.record({ waitMs: fc.nat({ max: 500 }), reason, pauseMs: fc.integer({ min: 1, max: 1_000 }) });
    fc.assert(
      fc.property(fc.array(signal, { maxLength: 12 }), fc.nat({ max: 3_000 }), (signals, thenMs) => {
        const state = new ThrottleState();
        const told: { reason: ThrottlingReason; fromMs: number; untilMs: number }[] = [];
        let nowMs = 0;
        for (const { waitMs, reason, pauseMs } of signals) {
          nowMs += waitMs;
          state.add(reason, pauseMs, nowMs);
          told.push({ reason, fromMs: nowMs, untilMs: nowMs + pauseMs });
        }
        nowMs += thenMs;
        const last = Math.max(0, ...told.map(({ untilMs }) => untilMs));
        expect(state.remainingMs(nowMs)).toBe(Math.max(0, last - nowMs));
        const reasons = told.filter(({ untilMs }) => untilMs === last).map(({ reason }) => reason);
        if (last > nowMs) expect(reasons).toContain(state.reason(nowMs));
        else expect(state.reason(nowMs)).toBeUndefined();
        // Millisecond by millisecond: how long any of them was in effect.
        let covered = 0;
        for (let ms = 0; ms < nowMs; ms++)
          if (told.some(({ fromMs, untilMs }) => fromMs <= ms && ms < untilMs)) covered += 1;
        expect(state.throttledMs(nowMs)).toBe(covered);
      }),
    );
  });

  it("a connection's reason without a time lasts until the server reads on, and counts for as long", () => {
    const state = new ThrottleState();
    state.add("ConnectionPendingMessagesBreach", 0, 100);
    state.add("TopicProduceQuotaExceeded", 50, 100);
    expect([state.reason(120), state.remainingMs(120)]).toEqual(["TopicProduceQuotaExceeded", 30]);
    expect([state.reason(900), state.remainingMs(900)]).toEqual(["ConnectionPendingMessagesBreach", 0]);
    expect(state.endOpen(900)).toEqual(new Map([["ConnectionPendingMessagesBreach", 800]]));
    expect([state.reason(900), state.lastReason]).toEqual([undefined, "TopicProduceQuotaExceeded"]);
  });
});

it("room for messages is never given out twice, and who waits is told once half of it is free", async () => {
  const budget = new BufferBudget(100);
  let told = 0;
  expect([budget.take(60), budget.take(40), budget.take(1)]).toEqual([true, true, false]);
  budget.whenHalfFree(() => {
    told += 1;
  });
  budget.give(40);
  await Promise.resolve();
  expect(told).toBe(0);
  budget.give(10);
  await Promise.resolve();
  expect([told, budget.used, budget.most]).toEqual([1, 50, 100]);
});

it("counters keep a bounded number of topics apart", () => {
  const counts = new ThrottleCounts<"topic">();
  for (let n = 0; n < 1_500; n++) counts.add("topic", `topic ${n}`, 2);
  counts.add("topic", "topic 3", 5);
  const all = counts.list();
  expect(all.length).toBe(1_001);
  expect(all.find(({ topic }) => topic === "topic 3")).toEqual({ label: "topic", topic: "topic 3", times: 2, ms: 7 });
  expect(all.at(-1)).toEqual({ label: "topic", topic: "(others)", times: 500, ms: 1_000 });
});
