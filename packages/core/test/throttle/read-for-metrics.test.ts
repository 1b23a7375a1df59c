import { describe, expect, it } from "vitest";
import { createThrottle, MemoryStore, type Throttle, type ThrottleOptions } from "../../src/index.ts";
import { metricsReadOf } from "../../src/internal/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";
import { altered } from "../support/slots-world.ts";

/** Two members of a limit of one token: one of them holds nothing. The looks at the whole group are counted. */
async function starvedMember() {
  const runtime = new VirtualRuntime({ seed: 1 });
  const memory = new MemoryStore({ runtime });
  let looks = 0;
  const store = altered(memory, {
    inspect: (...args) => {
      looks += 1;
      return memory.inspect(...args);
    },
  });
  const member = () => createThrottle({ name: "g", max: 1, store, runtime, learning: 0 });
  const throttles = [member(), member()];
  for (const throttle of throttles) {
    const started = throttle.start();
    await runtime.advance(2_000);
    await started;
  }
  for (let second = 0; second < 5; second++) {
    throttles[0]?.tryAcquire();
    await runtime.advance(1_000);
  }
  const starved = throttles.find((throttle) => readFor(throttle)["held"] === 0);
  const stop = async (): Promise<void> => {
    const stopped = throttles.map((throttle) => throttle.stop());
    await runtime.advance(10_000);
    await Promise.all(stopped);
  };
  return { runtime, starved: starved as Throttle, looks: () => looks, stop };
}

const readFor = (throttle: Throttle) => (metricsReadOf(throttle) as () => Record<string, unknown>)();

describe("a throttle that is read for metrics", () => {
  it("gives its status, and does not ask the store why it holds nothing", async () => {
    const { runtime, starved, looks, stop } = await starvedMember();
    for (let second = 0; second < 20; second++) {
      expect(readFor(starved)["name"]).toBe("g");
      await runtime.advance(1_000);
    }
    expect(looks()).toBe(0);
    // Who reads the status may want to know.
    expect(readFor(starved)).toEqual(starved.status());
    await runtime.advance(10_000);
    expect(looks()).toBeGreaterThan(0);
    await stop();
  });

  it("is the only kind of object with such a read", () => {
    expect(metricsReadOf({})).toBeUndefined();
  });
});

describe("what a status has for metrics", () => {
  async function running(options: Partial<ThrottleOptions> = {}) {
    const runtime = new VirtualRuntime({ seed: 1 });
    const memory = new MemoryStore({ runtime });
    const world = { isDown: false };
    const store = altered(memory, {
      sync: async (...args) => {
        if (world.isDown) throw new Error("the store is down");
        return memory.sync(...args);
      },
    });
    const throttle = createThrottle({ name: "g", max: 10, store, runtime, learning: 0, ...options });
    const started = throttle.start();
    await runtime.advance(3_000);
    await started;
    await runtime.advance(1_000 - (runtime.now() % 1_000));
    return { runtime, throttle, world };
  }

  it.each([
    [7, 0],
    [8, 1],
    [10, 1],
  ])(
    "of %i used of 10 tokens an epoch: %i epochs near the limit, and what was used of the last one",
    async (used, near) => {
      const { runtime, throttle } = await running({ shares: "even" });
      for (let call = 0; call < used; call++) expect(throttle.tryAcquire()).toBe(true);
      expect(throttle.status()).toMatchObject({ used, usedBefore: 0, nearLimit: 0 });
      await runtime.advance(1_000);
      expect(throttle.status()).toMatchObject({ used: 0, usedBefore: used, nearLimit: near });
      await runtime.advance(1_000);
      expect(throttle.status()).toMatchObject({ usedBefore: 0, nearLimit: near });
      await throttle.stop();
    },
  );

  it("a member whose small share follows its demand is not near the limit while others leave tokens", async () => {
    const { runtime, throttle } = await running({ max: 1_000 });
    for (let second = 0; second < 10; second++) {
      for (let call = 0; call < 100; call++) throttle.tryAcquire();
      await runtime.advance(1_000);
    }
    expect(throttle.status().nearLimit).toBe(0);
    for (let call = 0; call < 900; call++) throttle.tryAcquire();
    await runtime.advance(1_000);
    expect(throttle.status().nearLimit).toBe(1);
    await throttle.stop();
  });

  it.each([
    ["stop", "stop", "stop"],
    [{ type: "hold", for: "30s" }, "hold", "stop"],
    [{ type: "floor", maxMembers: 2 }, "floor", "floor"],
  ] as const)("with onStoreLost %j the store is lost: first %s, in the end %s", async (onStoreLost, first, last) => {
    const { runtime, throttle, world } = await running({ onStoreLost });
    expect(throttle.status().storeLost).toBeUndefined();
    world.isDown = true;
    await runtime.advance(5_000);
    expect(throttle.status().storeLost).toBeUndefined();
    await runtime.advance(5_000);
    expect(throttle.status()).toMatchObject({ validForMs: 0, storeLost: first });
    await runtime.advance(60_000);
    expect(throttle.status().storeLost).toBe(last);
    world.isDown = false;
    await runtime.advance(10_000);
    expect(throttle.status().storeLost).toBeUndefined();
    const stopped = throttle.stop();
    await runtime.advance(10_000);
    await stopped;
    expect(throttle.status().storeLost).toBeUndefined();
  });
});
