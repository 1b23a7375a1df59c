import { describe, expect, it } from "vitest";
import { createThrottle, MemoryStore, type Throttle } from "../../src/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

const runtime = new VirtualRuntime({ startMs: 1_000_000 });

/** One that is alone in its group, whose whole limit is its share. */
async function alone(max: number): Promise<Throttle> {
  const throttle = createThrottle({ name: "g", max, store: new MemoryStore({ runtime }), runtime });
  await throttle.start();
  await runtime.advance(3_000);
  return throttle;
}

describe("what a listener does holds at once", () => {
  it("a cap, in a listener to shares", async () => {
    const throttle = await alone(100);
    throttle.cap(50);
    throttle.tryAcquireUpTo(1);
    throttle.on("share", ({ tokens }) => {
      if (tokens > 5) throttle.cap(5);
    });
    await runtime.advance(1_000 - (runtime.now() % 1_000));
    throttle.cap();
    expect([throttle.tryAcquireUpTo(1_000), throttle.tryAcquireUpTo(1_000)]).toEqual([5, 0]);
    expect(throttle.status()).toMatchObject({ level: 5, share: 5 });
  });

  it("a cap that is another one each time ends", async () => {
    const throttle = await alone(100);
    let cap = 5;
    throttle.on("share", () => {
      cap = 11 - cap;
      throttle.cap(cap);
    });
    throttle.cap(50);
    for (let i = 0; i < 50; i++) {
      expect(throttle.tryAcquireUpTo(1_000)).toBeLessThanOrEqual(6);
      await runtime.advance(100);
    }
  });

  it("a stop, in a listener to shares: nothing is granted after it", async () => {
    const throttle = await alone(10);
    throttle.cap(5);
    throttle.on("share", () => void throttle.stop());
    expect(() => throttle.tryAcquireUpTo(10)).toThrowError(expect.objectContaining({ code: "DT_STOPPED" }));
    expect(throttle.status().used).toBe(0);
  });

  it("a stop, in a listener to grants: a call that has collected a part of its tokens is refused", async () => {
    const throttle = await alone(10);
    throttle.tryAcquireUpTo(8);
    throttle.on("grant", () => void throttle.stop());
    const call = throttle.wrap(async () => "called", { cost: 5 });
    await expect(call()).rejects.toMatchObject({ code: "DT_STOPPED" });
  });

  it("the end of a signal, in a listener to grants: the call is not made", async () => {
    const throttle = await alone(10);
    throttle.tryAcquireUpTo(8);
    const [controller, reason] = [new AbortController(), new Error("gone")];
    throttle.on("grant", () => controller.abort(reason));
    let calls = 0;
    const call = throttle.wrap(async () => ++calls, { cost: 5, signal: controller.signal });
    await expect(call()).rejects.toBe(reason);
    await runtime.advance(10_000);
    expect(calls).toBe(0);
  });
});
