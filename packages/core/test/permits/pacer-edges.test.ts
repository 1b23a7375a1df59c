import { describe, expect, it } from "vitest";
import { createPacer, MemoryStore, type Pacer, type PacerOptions, type PermitLedger } from "../../src/index.ts";
import { settle, VirtualRuntime } from "../../src/testing/index.ts";
import { FaultyLedger } from "../support/faulty-ledger.ts";

const START_MS = 1_000_000;

function world(options: Partial<PacerOptions> = {}): {
  runtime: VirtualRuntime;
  store: MemoryStore;
  link: FaultyLedger;
  create(more?: Partial<PacerOptions>): Pacer;
} {
  const runtime = new VirtualRuntime({ startMs: START_MS });
  const store = new MemoryStore({ runtime });
  const link = new FaultyLedger(store, runtime);
  return {
    runtime,
    store,
    link,
    create: (more) => createPacer({ key: "k", every: 100, store: link, runtime, ...options, ...more }),
  };
}

/** Asks `count` times at once; answers land in `seen` as `<label><number>@<ms since the start>`. */
function ask(pacer: Pacer, runtime: VirtualRuntime, count: number, label: string, seen: string[]): void {
  for (let i = 0; i < count; i++)
    pacer.acquire().then(
      (permit) => seen.push(permit ? `${label}${i}@${Math.round(runtime.now() - START_MS)}` : `${label}${i}:none`),
      (error: { code?: string }) => seen.push(`${label}${i}:${error.code}`),
    );
}

describe("the order of callers", () => {
  it("holds within a process when an earlier instant turns up for a later caller", async () => {
    const { runtime, create } = world();
    const [a, b] = [create(), create()];
    const controller = new AbortController();
    await a.acquire();
    const gone = a.acquire({ signal: controller.signal }).catch(() => undefined);
    await settle();
    const seen: string[] = [];
    ask(b, runtime, 1, "first", seen);
    await settle();
    controller.abort();
    await gone;
    await settle();
    // This reservation is given the instant at 100, which comes before the other caller's at 200.
    ask(b, runtime, 1, "second", seen);
    await runtime.advance(300);
    expect(seen).toEqual(["first0@100", "second0@200"]);
  });

  it("holds within a process after a pause that wasted several permits at once", async () => {
    const { runtime, create } = world({ permitTtl: 50 });
    const pacer = create();
    const seen: string[] = [];
    ask(pacer, runtime, 8, "", seen);
    await runtime.advance(50);
    runtime.jump(380);
    await runtime.advance(1_000);
    expect(seen.map((entry) => entry.split("@")[0])).toEqual(["0", "1", "2", "3", "4", "5", "6", "7"]);
    expect(seen[1]).toBe("1@430");
    expect(pacer.wasted).toBe(3);
  });
});

describe("the life of a permit", () => {
  it("counts the way of the answer: a permit that took longer than permitTtl to arrive is not used", async () => {
    const { runtime, link, create } = world({ permitTtl: 80 });
    link.backMs = 100;
    const pacer = create();
    const seen: string[] = [];
    ask(pacer, runtime, 1, "", seen);
    await runtime.advance(150);
    expect(seen).toEqual([]);
    expect(pacer.wasted).toBe(1);
    link.backMs = 10;
    await runtime.advance(200);
    expect(seen).toHaveLength(1);
    expect(await pacer.close()).toBeUndefined();
  });

  it("counts from the instant also when the answer is a repeated one, given long after it", async () => {
    const { runtime, store, create } = world({ maxReserved: 0, permitTtl: 80 });
    let repeats = 0;
    const repeating: PermitLedger = {
      release: (...args) => store.release(...args),
      reserve: async (key, request) => {
        await store.reserve(key, request);
        repeats += 1;
        // The first reply got lost on the way, and the driver asked again.
        if (repeats === 1) runtime.jump(90);
        return store.reserve(key, request);
      },
    };
    const pacer = create({ store: repeating });
    const permit = pacer.acquire();
    await runtime.advance(300);
    expect(await permit).toMatchObject({ lateMs: 0 });
    expect(pacer.wasted).toBe(1);
  });

  it("ends for tryAcquire as well: false, and the permit is given back", async () => {
    const { runtime, link, create } = world({ permitTtl: 80 });
    link.backMs = 100;
    const pacer = create();
    const late = pacer.tryAcquire();
    await runtime.advance(100);
    expect(await late).toBe(false);
    link.backMs = 0;
    await settle();
    expect(await pacer.tryAcquire()).toBe(true);
  });

  it("is named in the error when it is why nobody got a permit in time", async () => {
    const { runtime, link, create } = world({ permitTtl: 80, acquireTimeout: 1_000 });
    link.backMs = 100;
    const refused = expect(create().acquire()).rejects.toThrow(/came later than permitTtl \(80 ms\)/);
    await runtime.advance(1_000);
    await refused;
  });
});

describe("tryAcquire", () => {
  it("gives back what it may have taken when the reply is lost", async () => {
    const { runtime, link, create } = world({ every: "6s" });
    const pacer = create();
    link.fault = "loseReplies";
    const refused = expect(pacer.tryAcquire()).rejects.toMatchObject({ code: "DT_STORE_TIMEOUT" });
    await runtime.advance(1_250);
    await refused;
    link.fault = "none";
    await settle();
    expect(await pacer.tryAcquire()).toBe(true);
  });

  it("rejects with the signal's reason when it is aborted, and gives the permit back", async () => {
    const { runtime, link, create } = world({ every: "6s" });
    const pacer = create();
    link.backMs = 50;
    const controller = new AbortController();
    const aborted = expect(pacer.tryAcquire({ signal: controller.signal })).rejects.toBe("enough");
    await runtime.advance(10);
    controller.abort("enough");
    await aborted;
    await expect(pacer.tryAcquire({ signal: controller.signal })).rejects.toBe("enough");
    link.backMs = 0;
    await settle();
    expect(await pacer.tryAcquire()).toBe(true);
  });

  it("refuses options it does not know", async () => {
    const { create } = world();
    await expect(create().tryAcquire({ timeout: 5 } as never)).rejects.toThrow("timeout is 5; there is no such option");
  });
});

describe("a request in line", () => {
  it("is not used for a caller of another cost: it may have been granted for the one who left", async () => {
    const { runtime, store, create } = world({ maxReserved: 1 });
    const asked = new Map<string, number>();
    const noting: PermitLedger = {
      release: (...args) => store.release(...args),
      reserve: async (key, request) => {
        expect(request.cost).toBe(asked.get(request.id) ?? request.cost);
        asked.set(request.id, request.cost);
        return store.reserve(key, request);
      },
    };
    const other = create();
    await other.acquire();
    for (let i = 0; i < 2; i++) void other.acquire();
    await settle();
    const pacer = create({ store: noting });
    const controller = new AbortController();
    const gone = pacer.acquire({ cost: 2, signal: controller.signal }).catch(() => undefined);
    const stays = pacer.acquire();
    await runtime.advance(10);
    controller.abort();
    await gone;
    await runtime.advance(500);
    expect(await stays).toBeDefined();
    expect(new Set(asked.values())).toEqual(new Set([2, 1]));
  });
});

describe("close", () => {
  it("waits for a reservation under way, and gives it back", async () => {
    const { runtime, store, link, create } = world({ every: "6s" });
    link.thereMs = 50;
    link.backMs = 50;
    const pacer = create();
    const refused = expect(pacer.acquire()).rejects.toMatchObject({ code: "DT_STOPPED" });
    let closed = false;
    void pacer.close().then(() => {
      closed = true;
    });
    await refused;
    await runtime.advance(90);
    expect(closed).toBe(false);
    await runtime.advance(110);
    expect(closed).toBe(true);
    expect(runtime.pendingTimers).toBe(0);
    expect(await create({ store }).tryAcquire()).toBe(true);
  });
});

describe("a link slower than the rate", () => {
  it("does not set the rate: one process gets all of it", async () => {
    const { runtime, link, create } = world({ every: 40 });
    link.thereMs = 100;
    link.backMs = 100;
    const pacer = create();
    let granted = 0;
    const worker = async (): Promise<void> => {
      for (;;) {
        await pacer.acquire();
        granted += 1;
      }
    };
    for (let i = 0; i < 40; i++) worker().catch(() => undefined);
    await runtime.advance(10_000);
    expect(granted).toBeGreaterThan(230);
    await Promise.all([pacer.close(), runtime.advance(1_000)]);
  });
});

describe("a store that pushes", () => {
  it("wakes a caller by a hint that comes as soon as its request was refused", async () => {
    const { runtime, store, create } = world({ every: 10_000, maxReserved: 0 });
    let hint: () => void = () => undefined;
    let reserves = 0;
    const pushing: PermitLedger = {
      release: (...args) => store.release(...args),
      watchPermits: async (_key, onFreed) => {
        hint = onFreed;
        return () => undefined;
      },
      reserve: async (...args) => {
        const answer = await store.reserve(...args);
        // After one answer, a hint in each of the next turns of the microtask queue: one of them is the bad moment.
        reserves += 1;
        if (reserves === 3) for (let turn = Promise.resolve(), i = 1; i <= 12; i++) turn = turn.then(() => hint());
        return answer;
      },
    };
    const pacer = create({ store: pushing });
    await pacer.acquire();
    const next = pacer.acquire();
    await runtime.advance(0);
    hint();
    await runtime.advance(10_200);
    expect(await next).toBeDefined();
    await pacer.close();
    expect(runtime.pendingTimers).toBe(0);
  });

  it("is asked to push again when it could not be reached the first time", async () => {
    const { runtime, store, create } = world({ maxReserved: 0 });
    let listeners = 0;
    const pushing: PermitLedger = {
      reserve: (...args) => store.reserve(...args),
      release: (...args) => store.release(...args),
      watchPermits: async () => {
        listeners += 1;
        if (listeners === 1) throw new Error("not yet");
        return () => undefined;
      },
    };
    const pacer = create({ store: pushing });
    for (let i = 0; i < 4; i++) void pacer.acquire();
    await runtime.advance(500);
    expect(listeners).toBe(2);
  });
});

describe("an answer outside the contract", () => {
  it.each([
    [{ granted: Number.NaN }, "granted NaN of 1"],
    [{ granted: 2 }, "granted 2 of 1"],
    [{ storeTimeMs: undefined }, "storeTimeMs undefined"],
    [{ granted: 0, retryAfterMs: -1 }, "retryAfterMs -1"],
  ])("%o is refused before anybody waits by it", async (forged, message) => {
    const { link, create } = world();
    link.forge = (reservation) => ({ ...reservation, ...forged });
    const refused = expect(create().acquire()).rejects;
    await refused.toMatchObject({ code: "DT_STORE_REPLY", message: expect.stringContaining(message) });
  });
});

describe("pacer.throttle", () => {
  it.each<[unknown[], string]>([
    [[{ onLimit: "drop" }], 'onLimit is "drop"'],
    [[{ onlimit: "skip" }], 'onlimit is "skip"; there is no such option'],
    [[() => 1, { cost: 0 }], "cost is 0"],
    [[null], "options is null"],
  ])("refuses %o when it is called, not at the first call of the function", (args, message) => {
    const { create } = world();
    expect(() => (create().throttle as (...args: unknown[]) => unknown)(...args)).toThrowError(message);
  });
});

describe("blocks at the bound", () => {
  it("share 10,000 permits a second among four processes, in a tenth as many round trips", async () => {
    const { runtime, link, create } = world({ rate: 10_000, every: undefined as never });
    const pacers = [1, 2, 3, 4].map(() => create());
    const granted = pacers.map(() => 0);
    const worker = async (i: number): Promise<void> => {
      for (;;) {
        await (pacers[i] as Pacer).acquire();
        (granted[i] as number) += 1;
      }
    };
    for (let i = 0; i < 800; i++) worker(i % 4).catch(() => undefined);
    await runtime.advance(1_000);
    link.reserves = 0;
    granted.fill(0);
    await runtime.advance(2_000);
    const total = granted.reduce((sum, count) => sum + count, 0);
    expect(total).toBeGreaterThan(19_600);
    expect(link.reserves).toBeLessThan(2_400);
    for (const count of granted) expect(Math.abs(count - total / 4)).toBeLessThan(0.3 * (total / 4));
    await Promise.all(pacers.map((pacer) => pacer.close()));
  });
});
