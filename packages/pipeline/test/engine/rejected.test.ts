import { createAdaptiveThrottle } from "@dt/adaptive";
import { VirtualRuntime } from "@dt/core/testing";
import { describe, expect, it } from "vitest";
import type { PipelineOptions, RecordTracker } from "../../src/index.ts";
import { httpError, listed, numbers, through } from "./support.ts";

/** A callee that refuses everything up to a time, and an adaptive throttle that knows. */
function world(untilMs: number, options: PipelineOptions<number, string>, records = 200) {
  const runtime = new VirtualRuntime({ seed: 9 });
  const rejection = createAdaptiveThrottle({ k: 1.1, window: "2s", longWindow: "2s", minRequests: 5, runtime });
  let called = 0;
  const call = async (): Promise<string> => {
    called += 1;
    if (runtime.now() < untilMs) throw httpError(429);
    return "ok";
  };
  const made = listed(numbers(records), call, { rejection, concurrency: 10, runtime, ...options });
  return { ...made, runtime, called: () => called };
}

describe("a record that we refuse ourselves", () => {
  it("is a dead letter with the probability, unless something else is said", async () => {
    const { pipeline, endings, called, runtime } = world(Number.POSITIVE_INFINITY, {});
    const status = await through(runtime, pipeline.run());
    expect(status).toMatchObject({ success: 0, error: 0, dropped: 0, retries: 0, throttledByCallee: called() });
    expect(status.throttledByClient).toBe(200 - called());
    expect(endings).toHaveLength(200);
    const ours = endings.filter((ending) => ending.kind === "throttled" && ending.by === "client");
    for (const ending of ours)
      expect(ending).toMatchObject({ error: /^Throttled by Client\. Request rejection probability: 0\.\d+$/ });
  });

  it("is dropped on request: it is counted, ends nowhere, and is done for the checkpoint", async () => {
    const ended: number[] = [];
    const checkpoint: RecordTracker = {
      begin: () => undefined,
      ended: (index) => void ended.push(index),
      save: async () => undefined,
    };
    const { pipeline, endings, called, runtime } = world(Number.POSITIVE_INFINITY, { rejected: "drop", checkpoint });
    const status = await through(runtime, pipeline.run());
    expect(status).toMatchObject({ throttledByClient: 0, dropped: 200 - called(), lowWater: 200 });
    expect(status.dropped).toBeGreaterThan(100);
    expect(endings).toHaveLength(called());
    expect(ended).toHaveLength(200);
  });

  it("is tried again on request, with delays that grow, until the callee is back", async () => {
    const { pipeline, runtime } = world(
      5_000,
      { rejected: { retry: { retries: 30, baseDelay: "200ms", maxDelay: "2s", ratio: 1 } } },
      40,
    );
    const status = await through(runtime, pipeline.run());
    expect(status.retries).toBeGreaterThan(10);
    expect(status.throttledByClient).toBe(0);
    expect(status.success + status.throttledByCallee).toBe(40);
    expect(status.success).toBeGreaterThan(5);
  });

  it("is tried no more often than retries says, and then is a dead letter", async () => {
    const runtime = new VirtualRuntime();
    const chance = {
      now: () => runtime.now(),
      setTimer: (callback: () => void, ms: number) => runtime.setTimer(callback, ms),
      // Whatever the probability is, it is met.
      random: () => 0,
    };
    const rejection = createAdaptiveThrottle({ k: 2, reset: "1m", runtime: chance });
    rejection.tryAcquire()?.overload();
    const called: number[] = [];
    const { pipeline, endings } = listed([0], (n) => void called.push(n), {
      rejection,
      rejected: { retry: { retries: 4 } },
      runtime: chance,
    });
    expect(await through(runtime, pipeline.run())).toMatchObject({ retries: 4, throttledByClient: 1 });
    // Each try counts as a request: the probability is that of the last one.
    expect(endings).toMatchObject([{ error: `Throttled by Client. Request rejection probability: ${5 / 6}` }]);
    expect(called).toEqual([]);
  });

  it("is tried again only as far as the budget goes: most of a flood ends at once as dead letters", async () => {
    const { pipeline, runtime } = world(Number.POSITIVE_INFINITY, { rejected: "retry", concurrency: 50 }, 2_000);
    const status = await through(runtime, pipeline.run());
    expect(status.throttledByClient + status.throttledByCallee).toBe(2_000);
    expect(status.retries).toBeGreaterThan(0);
    expect(status.retries).toBeLessThan(1_000);
  });

  it("and waits for its next try when the run is aborted is not done", async () => {
    const controller = new AbortController();
    const { pipeline, runtime } = world(
      Number.POSITIVE_INFINITY,
      { rejected: { retry: { baseDelay: "10m", maxDelay: "10m", ratio: 1 } }, signal: controller.signal },
      60,
    );
    const run = pipeline.run();
    await runtime.advance(1_000);
    const { inflight } = pipeline.status();
    expect(inflight).toBeGreaterThan(0);
    controller.abort();
    const status = await through(runtime, run);
    expect(status.state).toBe("aborted");
    expect(status.success + status.throttledByCallee + status.throttledByClient).toBe(
      status.read - inflight - status.waiting,
    );
    expect(runtime.pendingTimers).toBe(0);
  });

  it("is not what the callee refused: that is never tried again here", async () => {
    const { pipeline, called } = world(Number.POSITIVE_INFINITY, {
      rejected: "retry",
      rejection: false,
      refusalPause: 0,
    });
    expect(await pipeline.run()).toMatchObject({ retries: 0, throttledByCallee: 200 });
    expect(called()).toBe(200);
  });

  it("may also be refused by an adaptive throttle around the call: the same", async () => {
    const runtime = new VirtualRuntime();
    const own = createAdaptiveThrottle({ minRequests: 5, runtime });
    const call = own.wrap(async (_: number): Promise<string> => {
      throw httpError(429);
    });
    const { pipeline } = listed(numbers(100), (n) => call(n), { rejection: false, refusalPause: 0, runtime });
    const status = await pipeline.run();
    expect(status.throttledByClient).toBe(own.status().rejects);
    expect(status.throttledByClient).toBeGreaterThan(50);
  });
});
