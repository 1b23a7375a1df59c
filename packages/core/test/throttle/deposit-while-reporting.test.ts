import { afterEach, describe, expect, it } from "vitest";
import {
  type CoordinationStore,
  createThrottle,
  type Grant,
  MemoryStore,
  type Report,
  type Throttle,
  type ThrottleOptions,
} from "../../src/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

const LATENCY_MS = 100;
const CASES = (["even", "demand"] as const).flatMap((shares) =>
  (["epoch", "even"] as const).flatMap((release) =>
    [1_000, 60_000].flatMap((intervalMs) =>
      // Before the report arrives, when it is answered, and just before the answer comes.
      [0, 0.5, 1, 1.99].map((delay) => ({ shares, release, intervalMs, delayMs: delay * LATENCY_MS })),
    ),
  ),
);

/** Throttles that a test started. */
const throttles: Throttle[] = [];

afterEach(() => {
  for (const throttle of throttles.splice(0)) void throttle.stop();
});

/** A store over a network, that tells of every report as it is sent. */
function far(near: MemoryStore, runtime: VirtualRuntime, onReport: (report: Report) => void): CoordinationStore {
  const later = (): Promise<void> => new Promise((resolve) => runtime.setTimer(resolve, LATENCY_MS));
  const call = async <T>(run: () => Promise<T>): Promise<T> => {
    await later();
    const answer = await run();
    await later();
    return answer;
  };
  return {
    capabilities: { ...near.capabilities, hints: false },
    register: (group, registration) => call(() => near.register(group, registration)),
    sync: (group, member, report) => {
      onReport(report);
      return call(() => near.sync(group, member, report));
    },
    deregister: (group, member, farewell) => call(() => near.deregister(group, member, farewell)),
    inspect: (group) => near.inspect(group),
    close: () => near.close(),
  };
}

describe.each(CASES)(
  "tokens deposited $delayMs ms after a report that gives them up: $shares shares of $intervalMs ms, release $release",
  ({ shares, release, intervalMs, delayMs }) => {
    it("are taken off once: nothing that the process says is refused, and it stays in its group", async () => {
      const runtime = new VirtualRuntime({ seed: 3, startMs: 6_000_000 });
      const near = new MemoryStore({ runtime });
      const grants: Grant[] = [];
      const answers: number[] = [];
      const used: number[] = [];
      let armed = true;
      const store = far(near, runtime, ({ held, use }) => {
        used.push(use?.used ?? 0);
        if (!armed || !use || use.used <= held) return;
        armed = false;
        runtime.setTimer(() => {
          for (const grant of grants) answers.push(grant.deposit(grant.tokens));
        }, delayMs);
      });
      const options: ThrottleOptions = {
        name: "g",
        max: 1_000,
        interval: intervalMs,
        store,
        shares,
        release,
        runtime,
      };
      const throttle = createThrottle({ ...options, clockError: 250 });
      throttles.push(throttle);
      const errors: string[] = [];
      throttle.on("storeError", ({ error }) => errors.push(error.message));
      const joined = throttle.start();
      await runtime.advance(2_000);
      await joined;
      await runtime.advance(intervalMs - (runtime.now() % intervalMs));
      const take = (): void => {
        for (let i = 0; i < 40 && armed; i++) {
          const grant = throttle.tryAcquireGrant(Math.min(25, Math.max(1, throttle.status().available)));
          if (grant) grants.push(grant);
        }
      };
      // More than half of it, so that some of it is to be given up.
      for (let atMs = 0; atMs <= 0.7 * intervalMs; atMs += intervalMs / 100) {
        if (atMs === 0 || release === "even") take();
        await runtime.advance(release === "even" ? intervalMs / 100 : 0);
      }
      const other = createThrottle({ ...options, store: near });
      throttles.push(other);
      const second = other.start();
      for (let i = 0; i < 300; i++) {
        await runtime.advance(10);
        other.tryAcquireUpTo(1_000);
        if (armed) take();
      }
      await second;
      expect(errors).toEqual([]);
      expect(answers.filter((again) => again < 0)).toEqual([]);
      expect(used.filter((tokens) => tokens < 0)).toEqual([]);
      expect(throttle.status()).toMatchObject({ members: 2, lastError: undefined });
      const stopped = throttle.stop();
      await runtime.advance(1_000);
      await stopped;
      expect((await near.inspect("g")).members.map(({ id }) => id)).toEqual([other.memberId]);
      expect(errors).toEqual([]);
      // Otherwise nothing was tried.
      expect(answers.length).toBeGreaterThan(0);
    });
  },
);
