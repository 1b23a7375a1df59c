import { describe, expect, it } from "vitest";
import { fleet, watched } from "./support/fleet.ts";

it("a limiter of a key tells that its limit has ended", async () => {
  const { limits } = fleet();
  const limiter = limits.for("a");
  expect(limiter.status().state).toBe("running");
  await limits.stop();
  expect(limiter.status().state).toBe("stopped");
});

describe("the end of a keyed limit", () => {
  it("gives back what is in hand and in use, so that others may have it at once", async () => {
    const { limits, create, pass } = fleet({
      limit: (key) => ({ rate: "100/s", burst: 100, ...(key === "s" && { concurrent: 1 }) }),
    });
    for (let n = 0; n < 20; n++) {
      await limits.check("a");
      await pass(10);
    }
    const { inHand } = limits.for("a").status();
    expect(inHand).toBeGreaterThan(2);
    const slot = await limits.for("s").acquire();
    const other = create();
    const before = (await other.peek("a")).remaining;
    await limits.stop();
    expect((await other.peek("a")).remaining).toBe(before + inHand);
    expect(slot.signal.reason).toMatchObject({ code: "DT_SLOT_LOST" });
    expect((await other.check("s")).allowed).toBe(true);
    await expect(limits.check("a")).rejects.toMatchObject({ code: "DT_STOPPED" });
    expect(limits.status()).toMatchObject({ state: "stopped", keys: 0 });
  });

  it("in order serves those who wait, lets calls finish, and refuses others", async () => {
    const { limits, pass } = fleet();
    await limits.check("a", 10);
    const waiting = watched(limits.for("a").acquire());
    let finish = (): void => undefined;
    const running = limits.for("b").run(() => new Promise<void>((resolve) => (finish = resolve)));
    await pass(0);
    const drained = watched(limits.drain());
    await expect(limits.check("a")).rejects.toThrow("is being drained");
    await pass(200);
    expect(waiting.value).toBeDefined();
    expect(drained.done).toBe(false);
    finish();
    await running;
    await pass(10);
    expect(drained.value).toBe(true);
  });

  it("of one limiter in order leaves the others alone", async () => {
    const { limits, pass } = fleet();
    const limiter = limits.for("a");
    let finish = (): void => undefined;
    const running = limiter.run(() => new Promise<void>((resolve) => (finish = resolve)));
    await pass(0);
    const drained = watched(limiter.drain({ timeout: "10s" }));
    await expect(limiter.check()).rejects.toThrow("is being drained");
    expect((await limits.check("a")).allowed).toBe(true);
    finish();
    await running;
    await pass(0);
    expect(drained.value).toBe(true);
  });
});

describe("what is kept of keys", () => {
  it("goes back once the key turns cold: units in hand are no longer missing", async () => {
    const { limits, create, pass } = fleet({ limit: { rate: "10/min", burst: 100 } });
    for (let n = 0; n < 20; n++) {
      await limits.check("a");
      await pass(10);
    }
    expect(limits.for("a").status().inHand).toBeGreaterThan(2);
    await pass(2_100);
    expect((await create().peek("a")).remaining).toBe(80);
  });

  it("is given back with them: 100,000 keys that are seen once", async () => {
    const { limits, store, runtime, pass } = fleet();
    const keys = 100_000;
    for (let n = 0; n < keys; n += 1_000) {
      await Promise.all(Array.from({ length: 1_000 }, (_, key) => limits.check(`key ${n + key}`)));
      await runtime.advance(10);
    }
    expect(limits.status()).toMatchObject({ calls: { granted: keys }, roundTrips: keys / 1_000 });
    await pass(4_000);
    expect(limits.status().keys).toBe(0);
    expect(runtime.pendingTimers).toBe(0);
    const { requests } = limits.status();
    await pass(60_000);
    expect(limits.status().requests).toBe(requests);
    expect(await store.inspectBucket({ name: "api", key: "key 7" })).toBeUndefined();
  });
});
