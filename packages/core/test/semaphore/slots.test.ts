import { describe, expect, it } from "vitest";
import { type Semaphore, type SemaphoreOptions, systemRuntime } from "../../src/index.ts";
import { settle } from "../../src/testing/index.ts";
import { SlotsWorld, withoutQueue } from "../support/slots-world.ts";

async function started(
  options: Partial<SemaphoreOptions> = {},
  world: SlotsWorld = new SlotsWorld(),
): Promise<{ world: SlotsWorld; semaphore: Semaphore }> {
  const semaphore = world.semaphore(options);
  await semaphore.start();
  return { world, semaphore };
}

/** How a promise stands, without waiting for it. */
async function stateOf(promise: Promise<unknown>): Promise<string> {
  const pending = Symbol("pending");
  const how = await Promise.race([promise, Promise.resolve(pending)]).then(
    (value) => (value === pending ? "pending" : "resolved"),
    (error: { readonly code?: string }) => `rejected ${error.code ?? String(error)}`,
  );
  return how;
}

describe("a slot", () => {
  it("is granted at once, and is in use until it is released", async () => {
    const { semaphore } = await started();
    const slot = semaphore.tryAcquire();
    expect(slot).toMatchObject({ cost: 1, lost: false });
    expect(slot?.signal.aborted).toBe(false);
    expect(semaphore.tryAcquire()).toBeDefined();
    expect(semaphore.tryAcquire()).toBeUndefined();
    expect(semaphore.status()).toMatchObject({ held: 2, inUse: 2, calls: { granted: 2 } });
    slot?.release();
    expect(semaphore.status().inUse).toBe(1);
    expect(semaphore.tryAcquire()).toBeDefined();
  });

  it("is given back once, however often it is released", async () => {
    const { semaphore } = await started();
    const [slot] = [semaphore.tryAcquire(), semaphore.tryAcquire()];
    slot?.release();
    slot?.release();
    slot?.[Symbol.dispose]();
    expect(semaphore.status().inUse).toBe(1);
  });

  it("is released after the end of its semaphore as well", async () => {
    const { semaphore } = await started();
    const slot = semaphore.tryAcquire();
    await semaphore.stop();
    slot?.release();
    slot?.release();
    expect(semaphore.status()).toMatchObject({ state: "stopped", inUse: 0 });
  });

  it("is released at the end of its block", async () => {
    const { semaphore } = await started();
    {
      using slot = await semaphore.acquire(2);
      expect(slot.cost).toBe(2);
      expect(semaphore.status().inUse).toBe(2);
    }
    expect(semaphore.status().inUse).toBe(0);
  });

  it("goes to the next caller before its release returns", async () => {
    const { semaphore } = await started({ max: 1 });
    const slot = await semaphore.acquire();
    const next = semaphore.acquire();
    slot.release();
    expect(semaphore.status()).toMatchObject({ inUse: 1, waiting: 0 });
    expect(await stateOf(next)).toBe("resolved");
  });

  it("is granted and released with three looks at the clock, and without the store", async () => {
    const { world, semaphore } = await started({ max: 10 });
    semaphore.tryAcquire()?.release();
    const now = world.runtime.now.bind(world.runtime);
    const boot = world.runtime.bootTimeMs.bind(world.runtime);
    let looks = 0;
    world.runtime.now = () => {
      looks += 1;
      return now();
    };
    world.runtime.bootTimeMs = () => {
      looks += 1;
      return boot();
    };
    const before = world.syncs;
    for (let i = 0; i < 100; i++) semaphore.tryAcquire()?.release();
    expect(looks).toBeLessThanOrEqual(300);
    expect(world.syncs).toBe(before);
    expect(world.runtime.pendingTimers).toBeLessThan(10);
    expect(semaphore.status().calls.granted).toBe(101);
  });

  it("tells by its signal and an event when it was held for maxHold, and stays in use", async () => {
    const { world, semaphore } = await started({ max: 2, maxHold: 500 });
    const overdue: unknown[] = [];
    const quiet = await semaphore.acquire();
    const slot = await semaphore.acquire();
    semaphore.on("overdue", (event) => overdue.push(event));
    const { signal } = slot;
    const next = semaphore.acquire();
    await world.runtime.advance(499);
    expect(signal.aborted).toBe(false);
    await world.runtime.advance(1);
    expect(signal.reason).toMatchObject({ code: "DT_SLOT_OVERDUE" });
    expect(overdue).toEqual(Array(2).fill({ cost: 1, heldMs: 500 }));
    expect(slot.lost).toBe(false);
    world.runtime.jump(6_000);
    // The first reason stays, also where the signal is read later.
    for (const one of [slot, quiet]) expect([one.lost, one.signal.reason.code]).toEqual([true, "DT_SLOT_OVERDUE"]);
    expect(semaphore.status()).toMatchObject({ inUse: 2, overdue: 2, lost: 2 });
    await world.runtime.advance(10);
    expect(await stateOf(next)).toBe("pending");
    slot.release();
    expect(await stateOf(next)).toBe("resolved");
    (await next).release();
    await world.runtime.advance(1_000);
    expect(semaphore.status().overdue).toBe(2);
  });
});

describe("a caller", () => {
  it("that does not wait starts the semaphore in the background", async () => {
    const world = new SlotsWorld();
    const semaphore = world.semaphore();
    expect(semaphore.tryAcquire()).toBeUndefined();
    await world.runtime.advance(1);
    expect(semaphore.tryAcquire()).toBeDefined();
  });

  it("that waits starts it, within its own time", async () => {
    const world = new SlotsWorld();
    world.onwardMs = 100;
    const semaphore = world.semaphore();
    const [late, inTime] = [semaphore.acquire(1, { timeout: 10 }), semaphore.acquire(1, { timeout: 500 })];
    const failed = expect(late).rejects.toMatchObject({ code: "DT_TIMEOUT" });
    await world.runtime.advance(400);
    await failed;
    expect((await inTime).cost).toBe(1);
  });

  it("is served by priority, and then in the order of coming", async () => {
    const { semaphore } = await started({ max: 1 });
    let slot = await semaphore.acquire();
    const order: string[] = [];
    const waiting = [
      ["low", -1],
      ["first", 0],
      ["second", undefined],
      ["high", 3],
    ] as const;
    const served = waiting.map(async ([name, priority]) => {
      const got = await semaphore.acquire(1, { priority });
      order.push(name);
      slot = got;
    });
    for (const _ of waiting) {
      slot.release();
      await settle();
    }
    await Promise.all(served);
    expect(order).toEqual(["high", "first", "second", "low"]);
  });

  it("that is first and costs more is not passed", async () => {
    const { semaphore } = await started({ max: 3 });
    const [a, b] = [await semaphore.acquire(2), await semaphore.acquire()];
    const costly = semaphore.acquire(3);
    const cheap = semaphore.acquire();
    b.release();
    expect(semaphore.tryAcquire()).toBeUndefined();
    expect(await stateOf(cheap)).toBe("pending");
    a.release();
    expect(await stateOf(costly)).toBe("resolved");
    expect(await stateOf(cheap)).toBe("pending");
    (await costly).release();
    expect(await stateOf(cheap)).toBe("resolved");
  });

  it("lets the next one go on when it gives up", async () => {
    const { world, semaphore } = await started({ max: 3 });
    const slot = await semaphore.acquire(2);
    const ended = new AbortController();
    const aborted = semaphore.acquire(2, { signal: ended.signal });
    const late = semaphore.acquire(3, { timeout: 100 });
    const cheap = semaphore.acquire();
    const failures = Promise.all([
      expect(aborted).rejects.toBe("enough"),
      expect(late).rejects.toMatchObject({ code: "DT_TIMEOUT" }),
    ]);
    ended.abort("enough");
    expect(await stateOf(cheap)).toBe("pending");
    await world.runtime.advance(100);
    await failures;
    expect(await stateOf(cheap)).toBe("resolved");
    expect(semaphore.status()).toMatchObject({ inUse: 3, waiting: 0 });
    slot.release();
  });

  it("whose signal aborts at the instant of the grant loses no slot", async () => {
    const { semaphore } = await started({ max: 1 });
    const slot = await semaphore.acquire();
    const [early, late] = [new AbortController(), new AbortController()];
    const first = semaphore.acquire(1, { signal: early.signal });
    const second = semaphore.acquire(1, { signal: late.signal });
    const failed = expect(first).rejects.toBe("before");
    early.abort("before");
    slot.release();
    late.abort("after");
    await failed;
    const granted = await second;
    expect(semaphore.status()).toMatchObject({ inUse: 1, waiting: 0 });
    granted.release();
    expect(semaphore.status().inUse).toBe(0);
  });

  it("is refused at once with timeout 0, and where as many wait as may", async () => {
    const { semaphore } = await started({ max: 1, maxWaiters: 1 });
    const full: unknown[] = [];
    semaphore.on("queueFull", (event) => full.push(event));
    await semaphore.acquire();
    await expect(semaphore.acquire(1, { timeout: 0 })).rejects.toMatchObject({
      code: "DT_TIMEOUT",
      message: expect.stringMatching(/a slot of the semaphore "ocr" was not granted at once/),
    });
    const waits = semaphore.acquire();
    await expect(semaphore.acquire()).rejects.toMatchObject({ code: "DT_QUEUE_FULL" });
    expect(full).toEqual([{ waiting: 1 }]);
    expect(semaphore.status().waiting).toBe(1);
    waits.catch(() => undefined);
    await semaphore.stop();
  });

  it("waits for acquireTimeout where it gives no time, and the event names how long it waited", async () => {
    const { world, semaphore } = await started({ max: 1, acquireTimeout: 50 });
    const told: unknown[] = [];
    semaphore.on("timedOut", (event) => told.push(event));
    await semaphore.acquire();
    const failed = expect(semaphore.acquire()).rejects.toMatchObject({ code: "DT_TIMEOUT" });
    await world.runtime.advance(50);
    await failed;
    expect(told).toEqual([{ cost: 1, waitedMs: 50 }]);
  });

  it("of a cost that makes no sense is refused", async () => {
    const { semaphore } = await started({ max: 3 });
    for (const cost of [0, -1, 1.5, Number.NaN, "2", {}, 4]) {
      expect(() => semaphore.tryAcquire(cost as number)).toThrow(expect.objectContaining({ code: "DT_INVALID_COST" }));
      await expect(semaphore.acquire(cost as number)).rejects.toMatchObject({ code: "DT_INVALID_COST" });
    }
    await expect(semaphore.acquire(4)).rejects.toMatchObject({ message: expect.stringContaining("max (3)") });
    expect(semaphore.status()).toMatchObject({ inUse: 0, waiting: 0 });
  });

  it("of a cost that nothing ensures is refused where the store has no queue", async () => {
    const { world, semaphore } = await started({ max: 3 }, new SlotsWorld(1, withoutQueue));
    await world.semaphore({ max: 3 }).start();
    await world.runtime.advance(2_000);
    await expect(semaphore.acquire(2)).rejects.toMatchObject({
      code: "DT_INVALID_COST",
      message: expect.stringContaining("sure to get: 1, of 3 slots for 2 processes"),
    });
  });

  it("of a cost that nothing ensures has a turn of its own beside busy processes, on a store with a queue", async () => {
    const world = new SlotsWorld();
    Object.assign(world, { onwardMs: 0.5, backMs: 0.5 });
    const semaphores = Array.from({ length: 6 }, () => world.semaphore({ max: 6 }));
    for (const busy of semaphores.slice(1)) for (let i = 0; i < 10; i++) world.calls(busy, 50).catch(() => undefined);
    await world.runtime.advance(1_000);
    const costly = semaphores[0]?.acquire(5, { timeout: "5s" });
    await world.runtime.advance(5_000);
    const slot = await costly;
    expect(slot?.cost).toBe(5);
    slot?.release();
    expect(world.peak).toBeLessThanOrEqual(6);
  });

  it("learns by an event that nothing ensures its cost, since the fleet has grown", async () => {
    const { world, semaphore } = await started({ max: 3 });
    const costly: unknown[] = [];
    semaphore.on("costly", (event) => costly.push(event));
    const slot = await semaphore.acquire();
    const waits = semaphore.acquire(3);
    await world.semaphore({ max: 3 }).start();
    await world.runtime.advance(3_000);
    expect(costly).toEqual([{ cost: 3, guaranteed: 1 }]);
    slot.release();
    await world.runtime.advance(3_000);
    expect((await waits).cost).toBe(3);
  });
});

describe("run and wrap", () => {
  it("hand the slot on, and release it when the call has settled", async () => {
    const { semaphore } = await started({ max: 2 });
    const seen = await semaphore.run((slot) => [slot.cost, semaphore.status().inUse], { cost: 2 });
    expect(seen).toEqual([2, 2]);
    await expect(semaphore.run(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
    const wrapped = semaphore.wrap(async (n: number) => n + semaphore.status().inUse, { cost: (n: number) => n });
    expect(await wrapped(2)).toBe(4);
    expect(semaphore.status()).toMatchObject({ inUse: 0, calls: { granted: 3 } });
  });

  it("throw or skip where no slot is free", async () => {
    const { semaphore } = await started({ max: 1 });
    const slot = await semaphore.acquire();
    let calls = 0;
    const call = (): number => ++calls;
    await expect(semaphore.run(call, { whenLimited: "throw" })).rejects.toMatchObject({ code: "DT_LIMITED" });
    expect(await semaphore.run(call, { whenLimited: "skip" })).toBeUndefined();
    slot.release();
    expect(await semaphore.run(call, { whenLimited: "throw" })).toBe(1);
    await expect(semaphore.run(call, { cost: 0 })).rejects.toMatchObject({ code: "DT_INVALID_COST" });
    await expect(semaphore.run(call, { cost: 2 })).rejects.toMatchObject({ code: "DT_INVALID_COST" });
  });
});

it("events name each grant and each release", async () => {
  const { world, semaphore } = await started({ max: 2 });
  const told: unknown[] = [];
  for (const name of ["grant", "release"] as const) semaphore.on(name, (event) => told.push({ [name]: event }));
  const slot = await semaphore.acquire(2);
  const next = semaphore.acquire();
  await world.runtime.advance(30);
  slot.release();
  (await next).release();
  await semaphore.stop();
  expect(told).toEqual([
    { grant: { cost: 2, waitedMs: 0 } },
    { release: { cost: 2, heldMs: 30 } },
    { grant: { cost: 1, waitedMs: 30 } },
    { release: { cost: 1, heldMs: 0 } },
  ]);
});

it("works with the real clock", async () => {
  const world = new SlotsWorld();
  const semaphore = world.semaphore({ store: world.memory, runtime: systemRuntime });
  expect(await semaphore.run(() => "done")).toBe("done");
  expect(await semaphore.drain()).toBe(true);
});
