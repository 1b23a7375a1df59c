import { describe, expect, it } from "vitest";
import { createThrottle, type DtError, MemoryStore, type Throttle, type ThrottleOptions } from "../../src/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";
import { altered } from "../support/slots-world.ts";

/** Throttles of one name on one store, and the calls that a callee would count, by the time at which they come. */
class World {
  readonly runtime = new VirtualRuntime({ seed: 3 });
  readonly store = new MemoryStore({ runtime: this.runtime });
  readonly calls: number[] = [];
  readonly throttles: Throttle[] = [];
  /** While it is true no request reaches the store. */
  isDown = false;
  syncs = 0;
  /** An answer takes so long; 0 is at once. */
  tookMs = 0;

  throttle(options: Partial<ThrottleOptions> = {}): Throttle {
    const { runtime } = this;
    const store = altered(this.store, {
      sync: async (...args) => {
        if (this.isDown) throw new Error("the store is down");
        this.syncs += 1;
        const view = await this.store.sync(...args);
        if (this.tookMs > 0) await new Promise<void>((resolve) => this.runtime.setTimer(resolve, this.tookMs));
        return view;
      },
    });
    const throttle = createThrottle({ name: "api", max: 100, store, runtime, ...options });
    this.throttles.push(throttle);
    return throttle;
  }

  async fleet(size: number, options: Partial<ThrottleOptions> = {}): Promise<readonly Throttle[]> {
    const fleet = Array.from({ length: size }, () => this.throttle(options));
    for (const throttle of fleet) await throttle.start();
    await this.run(5_000);
    return fleet;
  }

  /** Time passes while every process takes whatever it gets, every 10 ms. */
  async run(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 10) {
      for (const throttle of this.throttles)
        for (let n = throttle.tryAcquireUpTo(1_000); n > 0; n--) this.calls.push(this.runtime.now());
      await this.runtime.advance(10);
    }
  }

  callsFrom(fromMs: number, untilMs: number): number {
    return this.calls.filter((ms) => ms >= fromMs && ms < untilMs).length;
  }
}

const caught = (promise: Promise<unknown>): Promise<DtError> =>
  promise.then(
    () => expect.unreachable("it was granted"),
    (error: DtError) => error,
  );

describe.each<[string, Partial<ThrottleOptions>]>([
  ["that share by demand", { shares: "demand" }],
  ["that share evenly", { shares: "even" }],
  ["that release evenly", { release: "even" }],
])("a fleet of throttles %s", (_, options) => {
  it("stops within a sync when one of them pauses it, and goes on afterwards within its limit", async () => {
    const world = new World();
    const [first] = await world.fleet(3, options);
    const fromMs = world.runtime.now();
    expect(world.callsFrom(fromMs - 2_000, fromMs)).toBeGreaterThan(180);
    first?.pauseUntil("10s");
    await world.run(20_000);
    expect(world.callsFrom(fromMs, fromMs + 1_000)).toBeLessThan(100);
    expect(world.callsFrom(fromMs + 1_000, fromMs + 10_000)).toBe(0);
    for (let epoch = 10; epoch < 15; epoch++)
      expect(world.callsFrom(fromMs + epoch * 1_000, fromMs + (epoch + 1) * 1_000)).toBeLessThanOrEqual(100);
    expect(world.callsFrom(fromMs + 15_000, fromMs + 20_000)).toBeGreaterThanOrEqual(490);
  });
});

describe("a pause of a fleet", () => {
  it("stops the process that asks at once, and is told to all by the event and the status", async () => {
    const world = new World();
    const fleet = await world.fleet(3);
    const told: (readonly [process: number, forMs: number])[] = [];
    for (const [process, throttle] of fleet.entries())
      throttle.on("paused", ({ forMs }) => told.push([process, forMs]));
    await world.runtime.advance(1_000);
    fleet[0]?.pauseUntil("30s");
    expect(fleet[0]?.tryAcquire()).toBe(false);
    expect(fleet[0]?.status()).toMatchObject({ pausedForMs: 30_000, available: 0, share: 0 });
    expect(fleet[0]?.status().blockedBy).toMatchObject({ reason: "pause", endsInMs: 30_000 });
    await world.runtime.advance(1_500);
    for (const throttle of fleet) expect(throttle.status().pausedForMs).toBe(28_500);
    // A little more is told to no listener.
    fleet[1]?.pauseUntil("28550ms");
    await world.runtime.advance(1_500);
    expect(told.map(([process]) => process).sort()).toEqual([0, 1, 2]);
    expect(told.every(([, forMs]) => forMs > 28_000 && forMs <= 30_000)).toBe(true);
    fleet[2]?.pauseUntil("1m");
    await world.runtime.advance(100);
    expect(told.map(([process]) => process).sort()).toEqual([0, 0, 1, 1, 2, 2]);
  });

  it("reaches throttles that listen at once, and those that share by demand from the second one on", async () => {
    const world = new World();
    const even = await world.fleet(2, { name: "even", shares: "even" });
    const byDemand = await world.fleet(2, { name: "by demand", shares: "demand" });
    for (const [first] of [even, byDemand]) first?.pauseUntil("2s");
    await world.runtime.advance(150);
    expect(even[1]?.status().pausedForMs).toBe(1_850);
    await world.runtime.advance(5_000);
    for (const [first] of [even, byDemand]) first?.pauseUntil("2s");
    await world.runtime.advance(150);
    for (const [, second] of [even, byDemand]) expect(second?.status().pausedForMs).toBe(1_850);
  });

  it("makes no process that shares by demand heed hints of members that come and go", async () => {
    const world = new World();
    const [first] = await world.fleet(1, { shares: "demand" });
    first?.pauseUntil("2s");
    await world.runtime.advance(5_000);
    world.syncs = 0;
    while (world.syncs === 0) await world.runtime.advance(10);
    world.syncs = 0;
    await world.throttle().start();
    await world.runtime.advance(500);
    // The newcomer's own.
    expect(world.syncs).toBeLessThanOrEqual(1);
  });

  it("moves no ramp, whatever is asked for meanwhile, and the status goes on with the epochs", async () => {
    const world = new World();
    const [throttle] = (await world.fleet(1, { min: 10, rampUp: "90s" })) as [Throttle];
    const { level } = throttle.status();
    throttle.pauseUntil("20s");
    for (let passed = 0; passed < 19_000; passed += 10) {
      throttle.tryAcquire();
      await world.runtime.advance(10);
      // Not right after each sync, so that the call is the first one that looks.
      if (passed % 5_000 === 4_000) expect(throttle.status().epochEndsInMs).toBeGreaterThan(0);
    }
    expect(throttle.status().level).toBeLessThanOrEqual(level + 1);
  });

  it("keeps callers waiting, whose timeouts name the rest of it, and serves them when it is over", async () => {
    const world = new World();
    const [throttle] = (await world.fleet(1)) as [Throttle];
    throttle.pauseUntil("10s");
    const waits = throttle.acquire(1).then(() => world.runtime.now());
    const late = caught(throttle.acquire(1, { timeout: "4s" }));
    const limited = caught(throttle.run(() => 1, { whenLimited: "throw" }));
    const fromMs = world.runtime.now();
    await world.runtime.advance(20_000);
    expect(await waits).toBe(fromMs + 10_000);
    for (const [promise, leftMs] of [
      [late, 6_000],
      [limited, 10_000],
    ] as const) {
      const error = await promise;
      expect(error.retryAfterMs).toBe(leftMs);
      expect(error.message).toMatch(/the fleet is paused/);
    }
  });

  it("never gets shorter, and is over by itself", async () => {
    const world = new World();
    const [first, second] = await world.fleet(2);
    first?.pauseUntil("10s");
    await world.runtime.advance(2_000);
    second?.pauseUntil("1s");
    first?.pauseUntil("0s");
    await world.runtime.advance(2_000);
    for (const throttle of [first, second]) expect(throttle?.status().pausedForMs).toBe(6_000);
    await world.runtime.advance(6_000);
    expect(first?.status()).toMatchObject({ pausedForMs: 0, blockedBy: undefined });
    expect(second?.tryAcquire()).toBe(true);
  });

  it("holds here while the store is away, and reaches the others once it is back", async () => {
    const world = new World();
    const [first, second] = await world.fleet(2, { onStoreLost: { type: "hold", for: "1m" } });
    world.isDown = true;
    first?.pauseUntil("30s");
    await world.runtime.advance(15_000);
    expect(first?.tryAcquire()).toBe(false);
    expect(second?.tryAcquire()).toBe(true);
    world.isDown = false;
    await world.runtime.advance(2_500);
    expect(second?.status().pausedForMs).toBe(12_500);
    await world.runtime.advance(12_500);
    expect(first?.tryAcquire()).toBe(true);
  });

  it("is asked for once the throttle has started, and is answered to one that starts", async () => {
    const world = new World();
    const [asks, starts] = [world.throttle(), world.throttle()];
    asks.pauseUntil("20s");
    await world.runtime.advance(5_000);
    expect(asks.status().state).toBe("idle");
    expect(await world.store.inspect("api")).toMatchObject({ memberCount: 0 });
    await asks.start();
    await world.runtime.advance(1);
    await starts.start();
    expect(asks.tryAcquire() || starts.tryAcquire()).toBe(false);
    expect(starts.status().pausedForMs).toBeCloseTo(15_000, -1);
  });

  it("is told right after a sync that was under way when it was asked for", async () => {
    const world = new World();
    const [throttle] = await world.fleet(1);
    world.tookMs = 400;
    world.syncs = 0;
    while (world.syncs === 0) await world.runtime.advance(10);
    throttle?.pauseUntil("30s");
    await world.runtime.advance(410);
    const { pausedForMs } = await world.store.inspect("api");
    expect(pausedForMs).toBeGreaterThan(29_000);
    await world.runtime.advance(1_000);
    world.syncs = 0;
    await world.runtime.advance(5_000);
    expect(world.syncs).toBeLessThanOrEqual(6);
  });

  it("is ended elsewhere by a reset of the group", async () => {
    const world = new World();
    const [first, second] = await world.fleet(2);
    first?.pauseUntil("1h");
    await world.runtime.advance(2_000);
    await world.store.repair("api", { reset: true });
    await world.runtime.advance(30_000);
    expect(second?.status().pausedForMs).toBe(0);
    expect(first?.status().pausedForMs).toBe(3_568_000);
  });

  it("costs a few syncs however often it is asked for", async () => {
    const world = new World();
    const [first] = await world.fleet(1);
    world.syncs = 0;
    for (let refused = 0; refused < 500; refused++) {
      first?.pauseUntil("5s");
      await world.runtime.advance(2);
    }
    expect(world.syncs).toBeLessThanOrEqual(25);
  });

  it("holds for the throttle of the limit that this one replaces", async () => {
    const world = new World();
    const old = world.throttle({ name: "old" });
    const next = world.throttle({ name: "new", replaces: { name: "old", max: 100, interval: "1s" } });
    await Promise.all([old.start(), next.start()]);
    await world.runtime.advance(3_000);
    next.pauseUntil("10s");
    await world.runtime.advance(1_500);
    expect(old.status().pausedForMs).toBe(8_500);
  });

  it("refuses an end that makes no sense", () => {
    const throttle = new World().throttle();
    expect(() => throttle.pauseUntil("soon")).toThrow(/pauseUntil/);
  });
});
