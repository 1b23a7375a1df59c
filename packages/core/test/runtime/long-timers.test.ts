import { afterEach, expect, it, vi } from "vitest";

afterEach(() => {
  // Before the timers: else whoever restores mocks later in this process is given the timers that stand still.
  vi.restoreAllMocks();
  vi.useRealTimers();
  vi.resetModules();
});

it("a timer beyond what setTimeout holds (24.8 days) fires when it is due, and not at the end of the first stretch", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  vi.resetModules();
  const { systemRuntime } = await import("../../src/runtime/system-runtime.ts");
  const fired = vi.fn();
  const armed = vi.spyOn(globalThis, "setTimeout");
  systemRuntime.setTimer(fired, 2 ** 31 + 5_000);
  vi.advanceTimersByTime(2 ** 31 - 1);
  expect(fired).not.toHaveBeenCalled();
  vi.advanceTimersByTime(5_000);
  expect(fired).not.toHaveBeenCalled();
  vi.advanceTimersByTime(10);
  expect(fired).toHaveBeenCalledOnce();
  const cancelled = systemRuntime.setTimer(fired, 2 ** 31 + 5_000);
  vi.advanceTimersByTime(2 ** 31);
  cancelled.cancel();
  vi.advanceTimersByTime(10_000);
  expect(fired).toHaveBeenCalledOnce();
  // A longer one would fire at once, with a warning of Node's, and be armed again all the time.
  for (const [, delayMs] of armed.mock.calls) expect(delayMs).toBeLessThan(2 ** 31);
});
