import { describe, expect, it } from "vitest";
import type { PermitLedger, PermitRequest } from "../../src/index.ts";
import { settle } from "../../src/testing/index.ts";
import { linkedPacerWorld } from "../support/pacer-world.ts";

describe("the order of callers", () => {
  it("holds within a process when an earlier instant turns up for a later caller", async () => {
    const { runtime, create, ask } = linkedPacerWorld();
    const [a, b] = [create(), create()];
    const controller = new AbortController();
    await a.acquire();
    const gone = a.acquire(1, { signal: controller.signal }).catch(() => undefined);
    await settle();
    ask(b, 1, "first");
    await settle();
    controller.abort();
    await gone;
    await settle();
    // This reservation is given the instant at 100, which comes before the other caller's at 200.
    const seen = ask(b, 1, "second");
    await runtime.advance(300);
    expect(seen).toEqual(["first0@100", "second0@200"]);
  });

  it("holds within a process after a pause that wasted several permits at once", async () => {
    const { runtime, create, ask } = linkedPacerWorld({ permitTtl: 50 });
    const pacer = create();
    const seen = ask(pacer, 8);
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
    const { runtime, link, create, ask } = linkedPacerWorld({ permitTtl: 80 });
    link.backMs = 100;
    const pacer = create();
    const seen = ask(pacer, 1);
    await runtime.advance(150);
    expect(seen).toEqual([]);
    expect(pacer.wasted).toBe(1);
    link.backMs = 10;
    await runtime.advance(200);
    expect(seen).toHaveLength(1);
    expect(await pacer.stop()).toBeUndefined();
  });

  it("counts from the instant also when the answer is a repeated one, given long after it", async () => {
    const { runtime, store, create } = linkedPacerWorld({ maxReserved: 0, permitTtl: 80 });
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

  it("counts from the instant also when it was granted to a copy of a request that had been refused", async () => {
    const { runtime, store, create } = linkedPacerWorld({ maxReserved: 0, permitTtl: 80 });
    const asked: PermitRequest[] = [];
    const noting: PermitLedger = {
      release: (...args) => store.release(...args),
      reserve: (key, request) => {
        asked.push(request);
        return store.reserve(key, request);
      },
    };
    await create().acquire();
    const pacer = create({ store: noting });
    const permit = pacer.acquire();
    await runtime.advance(99);
    expect(asked).toHaveLength(1);
    // The copy arrives when a permit is free. The process stands still until long after that, and then asks again.
    runtime.jump(1);
    expect(await store.reserve("k", asked[0] as PermitRequest)).toMatchObject({ granted: 1 });
    runtime.jump(150);
    await runtime.advance(0);
    expect(await permit).toMatchObject({ lateMs: 0 });
    expect(asked.map(({ id }) => id === asked[0]?.id)).toEqual([true, true, false]);
    expect(pacer.wasted).toBe(1);
  });

  it("ends for tryAcquire as well: undefined, and the permit is given back", async () => {
    const { runtime, link, create } = linkedPacerWorld({ permitTtl: 80 });
    link.backMs = 100;
    const pacer = create();
    const late = pacer.tryAcquire();
    await runtime.advance(100);
    expect(await late).toBeUndefined();
    link.backMs = 0;
    await settle();
    expect(await pacer.tryAcquire()).toMatchObject({ lateMs: 0 });
  });

  it("is named in the error when it is why nobody got a permit in time", async () => {
    const { runtime, link, create } = linkedPacerWorld({ permitTtl: 80, acquireTimeout: 1_000 });
    link.backMs = 100;
    const refused = expect(create().acquire()).rejects.toThrow(/came later than permitTtl \(80 ms\)/);
    await runtime.advance(1_000);
    await refused;
  });
});

describe("an attempt", () => {
  it("gives back what it may have taken when the reply is lost", async () => {
    const { runtime, link, create } = linkedPacerWorld({ every: "6s" });
    const pacer = create();
    link.fault = "loseReplies";
    const refused = expect(pacer.tryAcquire()).rejects.toMatchObject({ code: "DT_STORE_TIMEOUT" });
    await runtime.advance(1_250);
    await refused;
    link.fault = "none";
    await settle();
    expect(await pacer.tryAcquire()).toMatchObject({ lateMs: 0 });
  });

  it("rejects with the signal's reason when it is aborted, and gives the permit back", async () => {
    const { runtime, link, create } = linkedPacerWorld({ every: "6s" });
    const pacer = create();
    link.backMs = 50;
    const controller = new AbortController();
    const { signal } = controller;
    const attempt = (): Promise<unknown> => pacer.run(() => "made", { signal, whenLimited: "throw" });
    const aborted = expect(attempt()).rejects.toBe("enough");
    await runtime.advance(10);
    controller.abort("enough");
    await aborted;
    await expect(attempt()).rejects.toBe("enough");
    link.backMs = 0;
    await settle();
    expect(await pacer.tryAcquire()).toMatchObject({ lateMs: 0 });
  });

  it("refuses options it does not know", async () => {
    const { create } = linkedPacerWorld();
    const attempt = create().run(() => 1, { whenLimited: "throw", timeuot: 5 } as object);
    await expect(attempt).rejects.toThrow("timeuot: there is no such option; did you mean timeout?");
  });
});

describe("a request in the queue", () => {
  it("is not used for a caller of another cost: it may have been granted for the one who left", async () => {
    const { runtime, store, create } = linkedPacerWorld({ maxReserved: 1 });
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
    const gone = pacer.acquire(2, { signal: controller.signal }).catch(() => undefined);
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
    const { runtime, store, link, create } = linkedPacerWorld({ every: "6s" });
    link.thereMs = 50;
    link.backMs = 50;
    const pacer = create();
    const refused = expect(pacer.acquire()).rejects.toMatchObject({ code: "DT_STOPPED" });
    let closed = false;
    void pacer.stop().then(() => {
      closed = true;
    });
    await refused;
    await runtime.advance(90);
    expect(closed).toBe(false);
    await runtime.advance(110);
    expect(closed).toBe(true);
    expect(runtime.pendingTimers).toBe(0);
    expect(await create({ store }).tryAcquire()).toMatchObject({ lateMs: 0 });
  });
});

describe("a store that sends hints", () => {
  it("wakes a caller by a hint that comes as soon as its request was refused", async () => {
    const { runtime, store, create } = linkedPacerWorld({ every: 10_000, maxReserved: 0 });
    let hint: () => void = () => undefined;
    let reserves = 0;
    const hinting: PermitLedger = {
      release: (...args) => store.release(...args),
      onPermitHint: async (_key, onFreed) => {
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
    const pacer = create({ store: hinting });
    await pacer.acquire();
    const next = pacer.acquire();
    await runtime.advance(0);
    hint();
    await runtime.advance(10_200);
    expect(await next).toBeDefined();
    await pacer.stop();
    expect(runtime.pendingTimers).toBe(0);
  });

  it("is asked for hints again when it could not be reached the first time", async () => {
    const { runtime, store, create } = linkedPacerWorld({ maxReserved: 0 });
    let listeners = 0;
    const hinting: PermitLedger = {
      reserve: (...args) => store.reserve(...args),
      release: (...args) => store.release(...args),
      onPermitHint: async () => {
        listeners += 1;
        if (listeners === 1) throw new Error("not yet");
        return () => undefined;
      },
    };
    const pacer = create({ store: hinting });
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
    const { link, create } = linkedPacerWorld();
    link.forge = (reservation) => ({ ...reservation, ...forged });
    const refused = expect(create().acquire()).rejects;
    await refused.toMatchObject({ code: "DT_STORE_REPLY", message: expect.stringContaining(message) });
  });
});
