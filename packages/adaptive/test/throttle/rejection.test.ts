import { describe, expect, it } from "vitest";
import { createAdaptiveThrottle, rejectionProbability } from "../../src/index.ts";
import { probabilityOf } from "../../src/throttle/rejection.ts";
import { LoopRuntime } from "../support/demand.ts";

describe("the rejection probability", () => {
  it.each([
    // [requests, accepts, k, probability]; the first is the Beam design's own message.
    [44, 15, 2, 0.3111111111111111],
    [0, 0, 2, 0],
    [1, 0, 2, 0.5],
    [10, 10, 2, 0],
    [10, 5, 2, 0],
    [10, 4, 2, 2 / 11],
    [600, 300, 2, 0],
    [1_200, 300, 2, 600 / 1_201],
    [99, 0, 2, 0.99],
    [100, 50, 1.1, 45 / 101],
    [100, 100, 1.1, 0],
  ])("of %i requests and %i accepts with k = %f is %f, in floating point", (requests, accepts, k, probability) => {
    expect(rejectionProbability(requests, accepts, k)).toBeCloseTo(probability, 12);
  });

  it("counts calls that were not made as requests, and calls that failed for other reasons as taken while fewer than half fail", () => {
    const nothing = { successes: 0, failures: 0, overloads: 0, rejects: 0 };
    expect(probabilityOf({ ...nothing, successes: 10, rejects: 80, overloads: 10 }, 1.1)).toBeCloseTo(89 / 101, 12);
    expect(probabilityOf({ ...nothing, successes: 60, failures: 40 }, 1.1)).toBe(0);
    expect(probabilityOf({ ...nothing, successes: 20, failures: 80 }, 1.1)).toBeCloseTo(60 / 101, 12);
    expect(probabilityOf({ ...nothing, successes: 60, failures: 40, overloads: 20 }, 1.1)).toBeCloseTo(10 / 121, 12);
  });

  it("leaves room for twice as much where hardly any is refused", () => {
    const back = { successes: 10, failures: 0, overloads: 0, rejects: 90 };
    expect(probabilityOf(back, 1.1)).toBeCloseTo(80 / 101, 12);
    expect(probabilityOf({ ...back, overloads: 1 }, 1.1)).toBeCloseTo(90 / 102, 12);
  });
});

describe("the Beam design's throttle, { k: 2, reset: '1m' }", () => {
  it("has its formula after every call, its words, and nothing of it after a minute", async () => {
    const runtime = new LoopRuntime(3);
    const throttle = createAdaptiveThrottle({ k: 2, reset: "1m", runtime });
    let requests = 0;
    let accepts = 0;
    const words: string[] = [];
    const limit = throttle.wrap(async (accept: boolean) => {
      if (!accept) throw Object.assign(new Error("Server returned HTTP response code: 429"), { status: 429 });
    });
    for (let n = 0; n < 500; n++) {
      const probability = Math.max(0, (requests - 2 * accepts) / (requests + 1));
      expect(throttle.status()).toMatchObject({ requests, successes: accepts, probability });
      const accept = n % 4 === 0;
      const error = await limit(accept).then(
        () => undefined,
        (thrown: Error) => thrown.message,
      );
      requests += 1;
      if (error === undefined) accepts += 1;
      else if (!error.startsWith("Server")) {
        expect(error).toBe(`Throttled by Client. Request rejection probability: ${probability}`);
        words.push(error);
      }
    }
    expect(words.length).toBeGreaterThan(100);
    runtime.nowMs = 59_999;
    expect(throttle.status().requests).toBe(500);
    runtime.nowMs = 60_000;
    expect(throttle.status()).toMatchObject({ requests: 0, probability: 0 });
  });

  it("resets every minute from its beginning, however late it is looked at", () => {
    const runtime = new LoopRuntime(3);
    const throttle = createAdaptiveThrottle({ k: 2, reset: "1m", runtime });
    runtime.nowMs = 110_000;
    throttle.tryAcquire()?.overload();
    expect(throttle.status().overloads).toBe(1);
    runtime.nowMs = 120_000;
    expect(throttle.status().overloads).toBe(0);
  });
});
