import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createThrottle, MemoryStore, type ModeOption, type Throttle, type ThrottleOptions } from "../../src/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";
import { Fleet, type Process } from "../support/fleet.ts";

/** A throttle alone in its group, at the start of an epoch, and its time. */
async function started(options: Partial<ThrottleOptions>): Promise<{ throttle: Throttle; runtime: VirtualRuntime }> {
  const runtime = new VirtualRuntime();
  const throttle = createThrottle({ name: "g", max: 100, store: new MemoryStore({ runtime }), runtime, ...options });
  await throttle.start();
  await runtime.advance(1_000 - (runtime.now() % 1_000));
  return { throttle, runtime };
}

/** What is granted in each of so many epochs to a caller that takes everything, looking every 10 ms. */
async function grantedIn(throttle: Throttle, runtime: VirtualRuntime, epochs: number): Promise<number[]> {
  const granted: number[] = [];
  for (let epoch = 0; epoch < epochs; epoch++) {
    let sum = 0;
    for (let look = 0; look < 100; look++) {
      sum += throttle.tryAcquireUpTo(1_000);
      await runtime.advance(10);
    }
    granted.push(sum);
  }
  return granted;
}

describe("a cap", () => {
  it("lowers what is granted at once, and taking it away gives the rest of the same epoch", async () => {
    const { throttle, runtime } = await started({});
    throttle.cap(30);
    expect(throttle.tryAcquireUpTo(1_000)).toBe(30);
    expect(throttle.status()).toMatchObject({ max: 100, capacity: 100, level: 30, cap: 30, share: 30, available: 0 });
    throttle.cap();
    expect(throttle.status()).toMatchObject({ level: 100, cap: undefined, available: 70 });
    expect(throttle.tryAcquireUpTo(1_000)).toBe(70);
    throttle.cap(20);
    expect(throttle.tryAcquireUpTo(1)).toBe(0);
    await runtime.advance(1_000);
    expect(throttle.tryAcquireUpTo(1_000)).toBe(20);
    throttle.cap(Number.POSITIVE_INFINITY);
    expect(throttle.status().cap).toBeUndefined();
    await throttle.stop();
  });

  it("never lifts the level above max, and a lower max counts below it", async () => {
    const { throttle } = await started({});
    throttle.cap(1_000_000);
    expect(throttle.tryAcquireUpTo(1_000)).toBe(100);
    throttle.cap(60);
    throttle.update({ max: 40 });
    expect(throttle.status()).toMatchObject({ level: 40, cap: 60 });
    throttle.update({ max: 100 });
    expect(throttle.status().level).toBe(60);
    await throttle.stop();
  });

  it("may have a fraction, of which whole tokens count, and below 1 grants nothing until it is raised", async () => {
    const { throttle, runtime } = await started({});
    throttle.cap(0.9);
    expect(await grantedIn(throttle, runtime, 2)).toEqual([0, 0]);
    const served = throttle.acquireUpTo(1);
    throttle.cap(2.9);
    expect(await served).toBe(1);
    expect(throttle.tryAcquireUpTo(1_000)).toBe(1);
    throttle.cap(0);
    await expect(throttle.acquireUpTo(1, { timeout: 0 })).rejects.toMatchObject({ code: "DT_TIMEOUT" });
    await throttle.stop();
  });

  it("that is raised serves those who wait in the same instant", async () => {
    const { throttle, runtime } = await started({});
    throttle.cap(1);
    const answers: number[] = [];
    const calls = [1, 1, 1].map(async () => answers.push(await throttle.acquireUpTo(1)));
    await runtime.advance(0);
    expect(answers).toEqual([1]);
    throttle.cap(3);
    await runtime.advance(0);
    expect(answers).toEqual([1, 2, 3].map(() => 1));
    await Promise.all(calls);
    await throttle.stop();
  });

  it("may be set before the start, and holds from the first token on", async () => {
    const runtime = new VirtualRuntime();
    const throttle = createThrottle({ name: "g", max: 100, store: new MemoryStore({ runtime }), runtime });
    throttle.cap(5);
    await throttle.start();
    await runtime.advance(1_000);
    expect(throttle.tryAcquireUpTo(1_000)).toBe(5);
    await throttle.stop();
  });

  it("is told by an event when it changes, with the level from then on", async () => {
    const { throttle } = await started({});
    const events: object[] = [];
    throttle.on("cap", (event) => events.push(event));
    for (const cap of [50, 50, 200, undefined, undefined]) throttle.cap(cap);
    expect(events).toEqual([
      { cap: 50, level: 50 },
      { cap: 200, level: 100 },
      { cap: undefined, level: 100 },
    ]);
    await throttle.stop();
  });

  it.each([Number.NaN, -1, "30", null, 5n])("is not %o, which is refused with the remedy", async (cap) => {
    const { throttle } = await started({});
    expect(() => throttle.cap(cap as never)).toThrow(/cap is .*; give tokens per interval of the whole pool/);
    expect(throttle.status().cap).toBeUndefined();
    await throttle.stop();
  });
});

describe("a cap and a ramp from 10 in steps of 10", () => {
  const ramp = { min: 10, max: 110, rampUp: "10s" } as const;

  it.each<[ModeOption, number[]]>([
    ["scheduled", [10, 20, 25, 25, 50, 60]],
    ["relaxed", [10, 20, 25, 25, 50, 60]],
    ["onlyIfUsed", [10, 20, 25, 25, 50, 60]],
    ["goBackN", [10, 20, 25, 25, 50, 60]],
  ])(
    "%o: the ramp goes on beneath it, by the use of what was offered, and goes on from there without it",
    async (mode, levels) => {
      const { throttle, runtime } = await started({ ...ramp, mode });
      throttle.cap(25);
      const granted = await grantedIn(throttle, runtime, 4);
      throttle.cap();
      expect([...granted, ...(await grantedIn(throttle, runtime, 2))]).toEqual(levels);
      await throttle.stop();
    },
  );

  it("goBackN steps down beneath it where what was offered is not used", async () => {
    const { throttle, runtime } = await started({ ...ramp, mode: "goBackN" });
    await grantedIn(throttle, runtime, 5);
    throttle.cap(20);
    // At 60; one of 20 tokens is used in each epoch.
    for (let epoch = 0; epoch < 3; epoch++) {
      throttle.tryAcquireUpTo(1);
      await runtime.advance(1_000);
    }
    throttle.cap();
    throttle.tryAcquireUpTo(1);
    expect(throttle.status().level).toBe(30);
    await throttle.stop();
  });

  it("is not what the store is told: a member that returns resumes its ramp, not its cap", async () => {
    const runtime = new VirtualRuntime();
    const store = new MemoryStore({ runtime });
    const options = { ...ramp, name: "g", store, runtime, memberId: "p", resumeWithin: "60s" } as const;
    const first = createThrottle(options);
    await first.start();
    await runtime.advance(1_000);
    await grantedIn(first, runtime, 5);
    first.cap(15);
    await first.stop();
    const second = createThrottle(options);
    await second.start();
    await runtime.advance(1_000);
    second.tryAcquireUpTo(1);
    expect(second.status().level).toBeGreaterThanOrEqual(50);
    await second.stop();
  });
});

describe('a cap and release: "even"', () => {
  it("spaces the tokens of the capped level over the interval, from the epoch of the change on", async () => {
    const { throttle, runtime } = await started({ release: "even", max: 100 });
    throttle.cap(10);
    const at: number[] = [];
    for (let ms = 0; ms < 2_000; ms += 10) {
      if (throttle.tryAcquireUpTo(1) === 1) at.push(ms);
      await runtime.advance(10);
    }
    expect(at).toEqual(Array.from({ length: 20 }, (_, i) => i * 100));
    await throttle.stop();
  });

  it("in the middle of an epoch that has granted more than the cap grants nothing until the next", async () => {
    const { throttle, runtime } = await started({ release: "even", max: 100 });
    let granted = 0;
    for (let ms = 0; ms < 500; ms += 10) {
      granted += throttle.tryAcquireUpTo(1);
      await runtime.advance(10);
    }
    expect(granted).toBe(50);
    throttle.cap(20);
    for (let ms = 500; ms < 1_000; ms += 10) {
      granted += throttle.tryAcquireUpTo(1);
      await runtime.advance(10);
    }
    expect(granted).toBe(50);
    await throttle.stop();
  });
});

describe("a fleet with caps", () => {
  it("that are the same grants exactly the cap in an epoch, whatever the number of members", async () => {
    const fleet = new Fleet(100);
    for (let i = 0; i < 3; i++) await fleet.join();
    await fleet.run(5_000);
    expect(fleet.lastEpoch).toBe(100);
    const { generation } = (fleet.processes[0] as Process).throttle.status();
    for (const { throttle } of fleet.processes) throttle.cap(40);
    await fleet.run(3_000);
    expect(fleet.lastEpoch).toBe(40);
    expect(fleet.processes[0]?.throttle.status()).toMatchObject({ generation, capacity: 100, agreed: true });
    for (const { throttle } of fleet.processes) throttle.cap(2);
    await fleet.run(4_000);
    expect(fleet.lastEpoch).toBe(2);
  });

  it("that differ keeps the promise, and each member has its part of its own", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.option(fc.double({ min: 0, max: 150, noNaN: true }), { nil: undefined }), {
          minLength: 2,
          maxLength: 5,
        }),
        fc.constantFrom("epoch" as const, "even" as const),
        async (caps, release) => {
          // The fleet throws at an epoch that grants more than 60.
          const fleet = new Fleet(60);
          for (const _ of caps) await fleet.join({ release, ...(release === "even" && { burst: 60 }) });
          await fleet.run(3_000);
          const generation = fleet.processes[0]?.throttle.status().generation;
          for (const [i, { throttle }] of fleet.processes.entries()) throttle.cap(caps[i]);
          await fleet.run(2_000);
          for (const [i, { throttle }] of fleet.processes.entries()) {
            const { share, level, ...status } = throttle.status();
            expect(level).toBe(Math.min(60, caps[i] ?? 60));
            const exact = Math.floor(level) / caps.length;
            expect(share).toBeGreaterThanOrEqual(Math.floor(exact));
            expect(share).toBeLessThanOrEqual(Math.ceil(exact));
            expect(status.generation).toBe(generation);
          }
        },
      ),
      { numRuns: 40 },
    );
  });
});
