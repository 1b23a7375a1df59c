import { VirtualRuntime } from "@dt/core/testing";
import type { ThrottlingReason } from "@dt/signal";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ThrottleState } from "../src/client/throttle-state.ts";
import { ThrottleCounts } from "../src/metrics/throttle-counts.ts";
import { BufferBudget } from "../src/server/buffer-budget.ts";
import { FrameRoom, OWN_BYTES } from "../src/server/frame-room.ts";
import { TokenBucket } from "../src/server/limiter.ts";
import { checkServerOptions } from "../src/server/options.ts";
import { ReadGate } from "../src/server/read-gate.ts";
import type { ServerProducer } from "../src/server/server-producer.ts";
import { noSignals } from "../src/server/signal-counts.ts";
import { Signals } from "../src/server/signals.ts";

describe("a token bucket", () => {
  it("that is asked before every message is never exceeded by more than one message, whatever the messages are", () => {
    const steps = fc.array(fc.record({ waitMs: fc.nat({ max: 3_000 }), cost: fc.integer({ min: 1, max: 50 }) }), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), steps, (perSecond, all) => {
        const bucket = new TokenBucket({ count: perSecond, intervalMs: 1_000 }, 0);
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
    const bucket = new TokenBucket({ count: 10, intervalMs: 1_000 }, 0);
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

describe("room for frames", () => {
  it("is taken once, also where reading goes on before the one that waits is told", async () => {
    const budget = new BufferBudget(4 * OWN_BYTES, OWN_BYTES);
    const told: string[] = [];
    const room = new FrameRoom({
      runtime: new VirtualRuntime(),
      budget,
      missing: () => told.push("missing"),
      found: () => told.push("found"),
      waits: () => false,
      late: () => told.push("late"),
    });
    budget.take(4 * OWN_BYTES);
    expect([room.grow(OWN_BYTES), room.grow(OWN_BYTES + 100)]).toEqual([true, false]);
    budget.give(4 * OWN_BYTES);
    expect(room.grow(OWN_BYTES + 100)).toBe(true);
    await Promise.resolve();
    expect([budget.used, room.bytes, told]).toEqual([100, 100, ["missing"]]);
    room.end();
    expect(budget.used).toBe(0);
  });

  it("is never given out twice, and who waits is told once half of it is free", async () => {
    const budget = new BufferBudget(100, 50);
    let told = 0;
    expect([budget.take(60), budget.take(40), budget.take(1)]).toEqual([true, true, false]);
    budget.whenFree(1, () => {
      told += 1;
    });
    budget.give(40);
    await Promise.resolve();
    expect(told).toBe(0);
    budget.give(10);
    await Promise.resolve();
    expect([told, budget.used, budget.most]).toEqual([1, 50, 100]);
  });

  it("half of it is never taken by frames that come in parts, and one of them can always come to its end", async () => {
    const budget = new BufferBudget(100, 20);
    const [slow, stuck, other] = [{}, {}, {}];
    // 30 of the 50 are for all; then it is one frame's turn.
    expect([budget.takePart(16, slow), budget.takePart(14, stuck)]).toEqual([true, true]);
    expect([budget.takePart(4, slow), budget.hasTurn(slow)]).toEqual([true, true]);
    expect([budget.takePart(1, stuck), budget.takePart(1, other)]).toEqual([false, false]);
    let told = 0;
    budget.whenFree(1, () => {
      told += 1;
    });
    expect([budget.take(50), budget.take(17)]).toEqual([true, false]);
    budget.giveParts(20, slow);
    await Promise.resolve();
    expect([told, budget.takePart(6, stuck), budget.used]).toEqual([1, true, 70]);
  });

  it("is bounded whatever frames come, in parts and in whatever order, and all come to their end", () => {
    const bound = 200;
    const largest = 40;
    const sizes = fc.array(fc.integer({ min: 1, max: largest }), { minLength: 1, maxLength: 30 });
    const steps = fc.infiniteStream(fc.nat());
    fc.assert(
      fc.property(sizes, steps, (frames, random) => {
        const budget = new BufferBudget(bound, largest);
        const coming = frames.map((size) => ({ size, got: 0 }));
        let looks = 0;
        while (coming.length > 0) {
          const at = (random.next().value as number) % coming.length;
          const frame = coming[at] as (typeof coming)[number];
          if (budget.takePart(1, frame)) frame.got += 1;
          if (frame.got === frame.size) {
            budget.giveParts(frame.size, frame);
            coming.splice(at, 1);
          }
          expect(budget.used).toBeLessThanOrEqual(bound / 2);
          looks += 1;
          if (looks > 1_000_000) throw new Error("frames wait for each other");
        }
        expect(budget.used).toBe(0);
      }),
    );
  });
});

it("a client that does not read what it is sent is sent no signals, however long it is throttled", async () => {
  const runtime = new VirtualRuntime();
  const settings = checkServerOptions({ handler: { publish: () => 0 }, runtime });
  const gate = new ReadGate(
    runtime,
    () => undefined,
    () => undefined,
  );
  let full = false;
  const sent: unknown[] = [];
  const send = (command: unknown): void => void sent.push(command);
  const signals = new Signals({
    settings,
    gate,
    counts: noSignals(),
    understood: () => true,
    full: () => full,
    send,
  });
  const producer = { id: 1, toldFirst: false, throttledUntilMs: 0, confirmedUntilMs: 0 } as ServerProducer;
  const first = signals.throttle(producer, "TopicProduceQuotaExceeded", 1_000);
  expect(sent.length).toBe(1);
  full = true;
  expect(await signals.throttle(producer, "TopicProduceQuotaExceeded", 2_000)).toBe("paused");
  expect(signals.tell(producer, "MessageBufferSizeBreach", 0)).toBeUndefined();
  expect([sent.length, gate.held]).toEqual([1, true]);
  signals.close();
  gate.close();
  expect(await first).toBe("paused");
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
