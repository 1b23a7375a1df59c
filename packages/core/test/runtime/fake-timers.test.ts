import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createPacer, createThrottle, MemoryStore } from "../../src/index.ts";
import { systemRuntime } from "../../src/runtime/system-runtime.ts";

/**
 * Fake timers of vitest, which are those of jest and sinon. Nothing is reset: it is the module that an application has.
 */

beforeEach(() => void vi.useRealTimers());
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

function four() {
  const store = new MemoryStore();
  const throttle = createThrottle({ name: "t", max: 2, interval: "1s", store });
  const pacer = createPacer({ name: "p", every: "1s", store });
  const served = { throttle: 0, pacer: 0 };
  const ask = async (): Promise<void> => {
    for (let n = 0; n < 4; n++) {
      throttle.acquire(1).then(() => {
        served.throttle += 1;
      });
      pacer.acquire().then(() => {
        served.pacer += 1;
      });
    }
  };
  const stop = () => Promise.all([throttle.stop(), pacer.stop()]);
  return { throttle, pacer, served, ask, stop };
}

describe("fake timers", () => {
  it.each([
    [undefined],
    [["setTimeout", "performance"] as const],
    [["setTimeout", "clearTimeout", "performance", "Date"] as const],
  ])("of the clock and setTimeout drive everything: %s", async (toFake) => {
    vi.useFakeTimers(toFake && { toFake: [...toFake] });
    const { throttle, served, ask, stop } = four();
    await throttle.start();
    await ask();
    await vi.advanceTimersByTimeAsync(999);
    expect(served).toEqual({ throttle: 2, pacer: 1 });
    await vi.advanceTimersByTimeAsync(1);
    expect(served).toEqual({ throttle: 4, pacer: 2 });
    await vi.advanceTimersByTimeAsync(2_000);
    expect(served).toEqual({ throttle: 4, pacer: 4 });
    await stop();
  });

  it.each([
    [["Date"] as const],
    [["setTimeout"] as const],
    [["setTimeout", "clearTimeout", "Date"] as const],
    [["performance"] as const],
  ])("of less drive nothing: everything goes on in real time: %s", async (toFake) => {
    vi.useFakeTimers({ toFake: [...toFake] });
    const before = systemRuntime.now();
    await new Promise<void>((resolve) => void systemRuntime.setTimer(resolve, 20));
    expect(systemRuntime.now() - before).toBeGreaterThanOrEqual(20);
    const store = new MemoryStore();
    await using throttle = createThrottle({ name: "t", max: 1, interval: 50, store });
    await throttle.start();
    expect(await Promise.all([throttle.acquireUpTo(1), throttle.acquireUpTo(1)])).toEqual([1, 1]);
  });

  it("that come after the start, and go again, neither stop a throttle nor turn its time back", async () => {
    const { throttle, served, ask, stop } = four();
    await throttle.start();
    const before = systemRuntime.now();
    vi.useFakeTimers();
    expect(systemRuntime.now()).toBeGreaterThanOrEqual(before);
    expect(throttle.tryAcquireUpTo(2)).toBe(2);
    await ask();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(served).toEqual({ throttle: 4, pacer: 4 });
    const faked = systemRuntime.now();
    vi.useRealTimers();
    expect(systemRuntime.now()).toBeGreaterThanOrEqual(faked);
    vi.useFakeTimers();
    expect(systemRuntime.now()).toBeGreaterThanOrEqual(faked);
    await ask();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(served).toEqual({ throttle: 8, pacer: 8 });
    await stop();
  });

  it("do not pass for a suspended machine while faked time stands still", async () => {
    vi.useFakeTimers();
    expect(systemRuntime.bootTimeMs?.() ?? Number.NaN).toBeNaN();
    vi.useRealTimers();
    if (process.platform === "linux") expect(systemRuntime.bootTimeMs?.()).toBeGreaterThan(0);
  });

  it("that take setTimeout and leave clearTimeout fire no timer that was cancelled", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "performance"] });
    const fired = vi.fn();
    systemRuntime.setTimer(fired, 10).cancel();
    await vi.advanceTimersByTimeAsync(100);
    expect(fired).not.toHaveBeenCalled();
  });

  it("of node:test, which leave the clock alone, are not followed", async () => {
    const { mock } = await import("node:test");
    mock.timers.enable({ apis: ["setTimeout", "Date"] });
    try {
      await new Promise<void>((resolve) => void systemRuntime.setTimer(resolve, 5));
    } finally {
      mock.timers.reset();
    }
  });
});
