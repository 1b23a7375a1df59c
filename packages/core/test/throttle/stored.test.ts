import { describe, expect, it } from "vitest";
import {
  createThrottle,
  getLimit,
  MemoryStore,
  setLimit,
  type Throttle,
  type ThrottleOptions,
} from "../../src/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";
import { altered } from "../support/slots-world.ts";

const API = { kind: "throttle", name: "api" } as const;
const BY = { by: "ann" };

/** One process: a throttle, and whether its requests reach the store. */
interface Process {
  readonly throttle: Throttle;
  isCutOff: boolean;
}

/** Throttles of one name on one store, and the calls of each by the epoch in which they come. */
class World {
  readonly runtime = new VirtualRuntime({ seed: 11 });
  readonly store = new MemoryStore({ runtime: this.runtime });
  readonly processes: Process[] = [];
  readonly calls: { readonly atMs: number; readonly by: Throttle }[] = [];
  /** The capacity in every answer of the store, in their order. */
  readonly capacities: number[] = [];

  process(options: Partial<ThrottleOptions> = {}): Process {
    const { runtime } = this;
    const answered = async <T>(process: Process, request: () => Promise<T>): Promise<T> => {
      if (process.isCutOff) throw new Error("the store is down");
      const view = await request();
      if (view instanceof Object && "capacity" in view) this.capacities.push(view.capacity as number);
      return view;
    };
    const store: MemoryStore = altered(this.store, {
      register: (...args) => answered(made, () => this.store.register(...args)),
      sync: (...args) => answered(made, () => this.store.sync(...args)),
    });
    const throttle = createThrottle({ name: "api", max: 100, stored: true, store, runtime, ...options });
    const made: Process = { throttle, isCutOff: false };
    this.processes.push(made);
    return made;
  }

  async fleet(size: number, options: Partial<ThrottleOptions> = {}): Promise<readonly Process[]> {
    const fleet = Array.from({ length: size }, () => this.process(options));
    for (const { throttle } of fleet) await throttle.start();
    await this.run(5_000);
    return fleet;
  }

  async set(limit: number | undefined, options: { readonly for?: string } = {}): Promise<void> {
    await setLimit(this.store, API, limit === undefined ? undefined : { max: limit }, {
      ...BY,
      ...(options.for !== undefined && { for: options.for as "1s" }),
    });
  }

  /** Time passes while every process takes whatever it gets, every 20 ms. */
  async run(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 20) {
      for (const { throttle } of this.processes)
        for (let n = throttle.tryAcquireUpTo(1_000); n > 0; n--)
          this.calls.push({ atMs: this.runtime.now(), by: throttle });
      await this.runtime.advance(20);
    }
  }

  /** The most calls in an epoch that begins in this time. */
  most(fromMs: number, untilMs: number, by?: Throttle): number {
    const counts = new Map<number, number>();
    for (const { atMs, by: caller } of this.calls) {
      const epoch = Math.floor(atMs / 1_000);
      if (epoch * 1_000 < fromMs || epoch * 1_000 >= untilMs || (by && by !== caller)) continue;
      counts.set(epoch, (counts.get(epoch) ?? 0) + 1);
    }
    return Math.max(0, ...counts.values());
  }
}

const capacityOf = ({ throttle }: Process): number => throttle.status().capacity;

describe.each<[string, Partial<ThrottleOptions>]>([
  ["that share by demand", { shares: "demand" }],
  ["that share evenly", { shares: "even" }],
  ["that release evenly", { release: "even" }],
])("a fleet of throttles %s", (_, options) => {
  it("goes by a lower limit: in the store at once, in each member from its next sync", async () => {
    const world = new World();
    const fleet = await world.fleet(4, options);
    const setMs = world.runtime.now();
    expect(world.most(setMs - 3_000, setMs)).toBeGreaterThan(90);
    await world.set(20);
    world.capacities.length = 0;
    await world.run(1_100);
    expect(new Set(world.capacities)).toEqual(new Set([20]));
    expect(fleet.map(capacityOf)).toEqual([20, 20, 20, 20]);
    await world.run(8_000);
    expect(world.most(0, setMs + 1_000)).toBeLessThanOrEqual(100);
    // The last of them has synced a second after the change: what it granted before was of an epoch under way.
    const most = world.most(setMs + 1_100, setMs + 9_000);
    expect(most).toBeLessThanOrEqual(20);
    expect(most).toBeGreaterThan(10);
  });

  it("goes by a higher limit, and never above it", async () => {
    const world = new World();
    const fleet = await world.fleet(4, options);
    await world.set(30);
    await world.run(6_000);
    const setMs = world.runtime.now();
    await world.set(160);
    await world.run(10_000);
    expect(fleet.map(capacityOf)).toEqual([160, 160, 160, 160]);
    expect(world.most(setMs, setMs + 10_000)).toBeLessThanOrEqual(160);
    expect(world.most(setMs + 5_000, setMs + 10_000)).toBeGreaterThan(140);
  });

  it("lets a member that is cut off go on with its old share until the end of its validity", async () => {
    const world = new World();
    const fleet = await world.fleet(4, options);
    const cutOff = fleet[0] as Process;
    const held = cutOff.throttle.status().held;
    cutOff.isCutOff = true;
    const { validForMs } = cutOff.throttle.status();
    const endMs = world.runtime.now() + validForMs;
    await world.set(20);
    await world.run(16_000);
    const atOnce = world.runtime.now() - 16_000;
    expect(world.most(atOnce, endMs, cutOff.throttle)).toBeLessThanOrEqual(held);
    expect(world.most(endMs, endMs + 20_000, cutOff.throttle)).toBe(0);
    // The others hold so much less that all together are never above the old limit, and soon not above the new one.
    expect(world.most(atOnce, endMs)).toBeLessThanOrEqual(100);
    expect(world.most(endMs, endMs + 20_000)).toBeLessThanOrEqual(20);
    cutOff.isCutOff = false;
    await world.run(3_000);
    expect(capacityOf(cutOff)).toBe(20);
  });

  it("lets nobody wait for ever that waited while the limit was lowered to 1 and raised", async () => {
    const world = new World();
    const fleet = await world.fleet(3, options);
    await world.set(1);
    await world.run(4_000);
    let granted = 0;
    const waits = fleet.flatMap(({ throttle }) =>
      Array.from({ length: 40 }, () => throttle.acquire().then(() => (granted += 1))),
    );
    await world.runtime.advance(6_000);
    // Few of them: now and then one of its epochs has a token for somebody.
    expect(granted).toBeLessThan(10);
    const raisedMs = world.runtime.now();
    await world.set(60);
    await world.runtime.advance(8_000);
    await Promise.all(waits);
    expect(world.runtime.now() - raisedMs).toBe(8_000);
  });
});

describe("a throttle with a stored limit", () => {
  it("creates it from its code, which others with another max do not change", async () => {
    const world = new World();
    const [first] = await world.fleet(1);
    const other = world.process({ max: 500 });
    await other.throttle.start();
    await world.run(3_000);
    expect([first as Process, other].map(({ throttle }) => throttle.status())).toMatchObject([
      { max: 100, capacity: 100, stored: true },
      { max: 500, capacity: 100, stored: true },
    ]);
    expect(world.most(0, 10_000)).toBeLessThanOrEqual(100);
  });

  it("goes by the smaller one of it and of what processes without stored declare", async () => {
    const world = new World();
    const [first] = await world.fleet(2);
    const plain = world.process({ max: 60, stored: false });
    await plain.throttle.start();
    await world.set(200);
    await world.run(3_000);
    expect(world.processes.map(capacityOf)).toEqual([60, 60, 60]);
    await world.set(40);
    await world.run(3_000);
    expect(world.processes.map(capacityOf)).toEqual([40, 40, 40]);
    await world.set(300);
    await plain.throttle.stop();
    await world.runtime.advance(3_000);
    expect(capacityOf(first as Process)).toBe(300);
  });

  it("goes back to the code's value when it is removed, and when its time is over", async () => {
    const world = new World();
    const fleet = await world.fleet(2);
    await world.set(30, { for: "10s" });
    await world.run(9_900);
    expect(fleet.map(capacityOf)).toEqual([30, 30]);
    await world.run(2_000);
    expect(fleet.map(capacityOf)).toEqual([100, 100]);
    await world.set(30);
    await world.run(2_000);
    await world.set(undefined);
    await world.run(2_000);
    expect(fleet.map(capacityOf)).toEqual([100, 100]);
    const limit = await getLimit(world.store, API);
    expect(limit).toMatchObject({ revision: 3, inForce: false });
    expect(limit?.history.map(({ from, to }) => [from?.["max"], to?.["max"]])).toEqual([
      [30, undefined],
      [100, 30],
      [100, 30],
    ]);
  });

  it("lets an update change the code's value alone, which counts once the limit is removed", async () => {
    const world = new World();
    const [first] = (await world.fleet(1)) as [Process];
    first.throttle.update({ max: 70 });
    await world.run(2_000);
    expect(first.throttle.status()).toMatchObject({ max: 70, capacity: 100 });
    await world.set(undefined);
    await world.run(2_000);
    expect(first.throttle.status()).toMatchObject({ max: 70, capacity: 70 });
  });

  it("tells listeners of each change, and costs go by it", async () => {
    const world = new World();
    const process = world.process({ max: 10 });
    const told: (readonly [number, number])[] = [];
    process.throttle.on("limitChanged", ({ from, to }) => told.push([from, to]));
    await world.set(25);
    await process.throttle.start();
    expect(told).toEqual([[10, 25]]);
    await expect(process.throttle.acquire(26)).rejects.toMatchObject({ code: "DT_INVALID_COST" });
    await process.throttle.acquire(25);
    const waits = process.throttle.acquire(20);
    await world.set(4);
    await world.run(1_500);
    expect(told).toEqual([
      [10, 25],
      [25, 4],
    ]);
    await expect(process.throttle.acquire(5)).rejects.toMatchObject({ code: "DT_INVALID_COST" });
    // It collects what comes.
    await world.runtime.advance(6_000);
    await waits;
  });

  it("moves its ramp within it, and keeps the cap beneath it", async () => {
    const world = new World();
    const process = world.process({ min: 10, rampUp: "9s", mode: "scheduled" });
    await process.throttle.start();
    await world.run(4_500);
    const { level } = process.throttle.status();
    expect(level).toBeGreaterThan(30);
    expect(level).toBeLessThan(70);
    await world.set(6);
    await world.run(2_000);
    expect(process.throttle.status()).toMatchObject({ level: 6, capacity: 6 });
    await world.set(55);
    await world.run(12_000);
    expect(process.throttle.status()).toMatchObject({ level: 55, capacity: 55 });
    process.throttle.cap(20);
    await world.set(80);
    await world.run(12_000);
    expect(process.throttle.status()).toMatchObject({ level: 20, capacity: 80 });
    process.throttle.cap();
    expect(process.throttle.status().level).toBe(80);
  });

  it("is refused on a store that keeps no limits, and as anything but true or false", () => {
    const store = altered(new MemoryStore(), { setLimit: undefined });
    const refusal = expect.objectContaining({
      code: "DT_INVALID_OPTION",
      message: expect.stringMatching(/^stored is/),
    });
    expect(() => createThrottle({ name: "api", max: 1, stored: true, store })).toThrow(refusal);
    expect(() => createThrottle({ name: "api", max: 1, stored: 1 as never, store })).toThrow(refusal);
    expect(() => createThrottle({ name: "api", max: 1, stored: false, store })).not.toThrow();
  });
});
