import { describe, expect, it } from "vitest";
import {
  type CoordinationStore,
  createThrottle,
  MemoryStore,
  type Throttle,
  type ThrottleOptions,
} from "../../src/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";
import { FaultyStore } from "../support/faulty-store.ts";

/** A rolling deployment that changes the interval, and the calls that reach the callee, counted as the callee would. */

interface Terms {
  readonly max: number;
  readonly intervalMs: number;
}

type Config = Pick<ThrottleOptions, "name" | "max" | "interval"> & Partial<ThrottleOptions>;

class Fleet {
  readonly runtime: VirtualRuntime;
  readonly store: CoordinationStore;
  readonly #running = new Map<number, { readonly throttle: Throttle; readonly config: Config; over: boolean }>();
  readonly #calls: { readonly atMs: number; readonly config: Config }[] = [];
  readonly processes: number;

  constructor(processes: number, seed: number) {
    this.processes = processes;
    this.runtime = new VirtualRuntime({ startMs: 600_000_000, seed });
    this.store = new FaultyStore(new MemoryStore({ runtime: this.runtime }));
  }

  /** One process after the other: the new one starts beside the old, which is stopped once it has. */
  async roll(config: Config, eachMs: number): Promise<void> {
    for (let process = 0; process < this.processes; process++) {
      const old = this.#running.get(process);
      const throttle = createThrottle({ store: this.store, runtime: this.runtime, ...config });
      const started = throttle.start();
      await this.runtime.advance(1_000);
      await started;
      const running = { throttle, config, over: false };
      this.#running.set(process, running);
      void this.#callAlways(running);
      if (old) old.over = true;
      const stopped = old?.throttle.stop();
      await this.runtime.advance(eachMs);
      await stopped;
    }
  }

  async stop(): Promise<void> {
    for (const running of this.#running.values()) running.over = true;
    await Promise.all([...this.#running.values()].map(({ throttle }) => throttle.stop()));
  }

  /** The fullest epoch of these terms, of the calls of those that are told, from a time on. */
  fullest({ intervalMs }: Terms, of: (config: Config) => boolean, fromMs = 0): number {
    const counts = new Map<number, number>();
    for (const { atMs, config } of this.#calls) {
      if (atMs < fromMs || !of(config)) continue;
      const epoch = Math.floor(atMs / intervalMs);
      counts.set(epoch, (counts.get(epoch) ?? 0) + 1);
    }
    return Math.max(0, ...counts.values());
  }

  callsSince(ms: number): number {
    return this.#calls.filter(({ atMs }) => atMs >= ms).length;
  }

  async #callAlways(running: { readonly throttle: Throttle; readonly config: Config; readonly over: boolean }) {
    while (!running.over) {
      const granted = await running.throttle.acquireUpTo(1).catch(() => 0);
      if (granted > 0) this.#calls.push({ atMs: this.runtime.now(), config: running.config });
    }
  }
}

const OLD = { name: "orders", max: 60, interval: "1m" } as const;
const NEW = { name: "orders-by-second", max: 1, interval: "1s" } as const;
const OLD_TERMS: Terms = { max: 60, intervalMs: 60_000 };
const NEW_TERMS: Terms = { max: 1, intervalMs: 1_000 };

describe("a change of the interval in a rolling deployment", () => {
  it.each([
    ["of epochs", {}, 1],
    ["of epochs", {}, 2],
    ["even", { release: "even" }, 3],
  ] as const)(
    "stays inside the old limit while both run, and inside the new one from then on: %s, seed %#",
    async (_, options, seed) => {
      const fleet = new Fleet(4, seed);
      const all = (): boolean => true;
      await fleet.roll({ ...OLD, ...options }, 20_000);
      const beganMs = fleet.runtime.now();
      const next: Config = { ...NEW, ...options, replaces: OLD };
      await fleet.roll(next, 45_000);
      const replacedMs = fleet.runtime.now();
      await fleet.runtime.advance(120_000);
      // Everybody takes part in the old group until the last roll begins.
      expect(fleet.fullest(OLD_TERMS, all)).toBeLessThanOrEqual(OLD_TERMS.max);
      expect(fleet.fullest(NEW_TERMS, (config) => config.name === NEW.name)).toBe(NEW_TERMS.max);
      const beforeMs = fleet.runtime.now();
      await fleet.roll({ ...NEW, ...options }, 20_000);
      await fleet.runtime.advance(60_000);
      expect(fleet.fullest(NEW_TERMS, all, replacedMs)).toBe(NEW_TERMS.max);
      expect(fleet.fullest(OLD_TERMS, all)).toBeLessThanOrEqual(OLD_TERMS.max);
      // Nothing stands still: at least two thirds of the rate in every part of it.
      const minutes = (fromMs: number, toMs: number): number =>
        (fleet.callsSince(fromMs) - fleet.callsSince(toMs)) / ((toMs - fromMs) / 60_000);
      expect(minutes(beganMs, replacedMs)).toBeGreaterThan(40);
      expect(minutes(replacedMs, beforeMs)).toBeGreaterThan(40);
      expect(minutes(beforeMs, fleet.runtime.now())).toBeGreaterThan(50);
      await fleet.stop();
    },
  );

  it("breaks the limit where the new version does not take part in the old group", async () => {
    const fleet = new Fleet(4, 1);
    await fleet.roll(OLD, 20_000);
    await fleet.roll(NEW, 45_000);
    expect(fleet.fullest(OLD_TERMS, () => true)).toBeGreaterThan(OLD_TERMS.max);
    await fleet.stop();
  });
});

describe("a throttle that replaces a group", () => {
  const world = (replaces: ThrottleOptions["replaces"], options: Partial<ThrottleOptions> = {}) => {
    const runtime = new VirtualRuntime({ startMs: 600_000_000 });
    const store = new MemoryStore({ runtime });
    const create = (more: Partial<ThrottleOptions>): Throttle =>
      createThrottle({ name: "new", max: 10, store, runtime, ...options, ...more });
    return { runtime, store, create, next: create({ ...(replaces && { replaces }) }) };
  };

  it("grants no more than either group has, and gives back what only one of them had", async () => {
    const { runtime, next, create } = world({ name: "old", max: 4 });
    await next.start();
    expect(next.status()).toMatchObject({ share: 10, available: 4 });
    expect(next.tryAcquireUpTo(7)).toBe(4);
    expect(next.status()).toMatchObject({ used: 4, available: 0, blockedBy: { reason: "share" } });
    expect(next.status().blockedBy?.message).toMatch(/of the throttle "old", which this one replaces: the 4 tokens/);
    await runtime.advance(1_000);
    const other = create({ name: "old", max: 4, shares: "even", memberId: "other" });
    await other.start();
    await runtime.advance(2_000);
    expect(next.tryAcquireUpTo(7) + other.tryAcquireUpTo(7)).toBe(4);
    await Promise.all([next.stop(), other.stop()]);
  });

  it("serves those who wait as soon as the other group has tokens, and grants a deposit again only with others", async () => {
    const { runtime, next } = world({ name: "old", max: 3, interval: "2s" });
    await next.start();
    const grants = await Promise.all([next.acquireGrant(2), next.acquireGrant(1)]);
    expect(next.tryAcquireUpTo(1)).toBe(0);
    expect(grants[0]?.deposit(2)).toBe(2);
    expect(next.tryAcquireUpTo(5)).toBe(0);
    let served = 0;
    next.acquireUpTo(3).then((tokens) => {
      served = tokens;
    });
    await runtime.advance(2_100);
    expect(served).toBe(3);
    await next.stop();
  });

  it("joins and leaves both groups", async () => {
    const { store, next } = world({ name: "old", max: 4 });
    await next.start();
    for (const group of ["old", "new"]) expect((await store.inspect(group)).memberCount).toBe(1);
    expect(await next.drain()).toBe(true);
    for (const group of ["old", "new"]) expect((await store.inspect(group)).memberCount).toBe(0);
  });

  it("does not start where the terms of the old group are others, and can be stopped meanwhile", async () => {
    const { runtime, store, next, create } = world({ name: "old", max: 4, interval: "2s" });
    const old = create({ name: "old" });
    await old.start();
    const start = next.start().catch((error: { readonly code: string }) => error.code);
    await runtime.advance(25_000);
    expect(await start).toBe("DT_INTERVAL_MISMATCH");
    const again = next.start().catch((error: { readonly code: string }) => error.code);
    await runtime.advance(100);
    const stopped = next.stop();
    await runtime.advance(2_000);
    await stopped;
    expect(await again).toBe("DT_STOPPED");
    expect((await store.inspect("new")).memberCount).toBe(0);
    await old.stop();
  });

  it.each([
    [{ name: "new", max: 4 }, /replaces.name is "new"; give the new limit another name/],
    [{ name: "old", max: 0 }, /max is 0/],
    [{ name: "old", max: 4, interval: 1 }, /interval is 1/],
    [{ name: "", max: 4 }, /replaces.name is ""/],
    [{ name: "old", max: 4, rampUp: "1s" }, /replaces.rampUp: there is no such option/],
    ["1m", /replaces is "1m"/],
  ])("refuses what it cannot replace: %o", (replaces, message) => {
    expect(() => world(replaces as ThrottleOptions["replaces"])).toThrowError(
      expect.objectContaining({ code: "DT_INVALID_OPTION", message: expect.stringMatching(message) }),
    );
  });
});
