import { testOutcomes } from "@dt-tooling/backends/test-outcomes";
import { describe, expect, it } from "vitest";
import { createGroupedPacer, MemoryStore } from "../../src/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";
import { linkedPacerWorld } from "../support/pacer-world.ts";

const EVERY_MS = 60_000;

describe.each([
  ["as permits are due", 0],
  ["with permits reserved ahead", 10],
])("the calls of a pacer %s", (_, maxReserved) => {
  testOutcomes(async () => {
    const { runtime, link, create } = linkedPacerWorld({ every: EVERY_MS, maxWaiters: 1, maxReserved });
    const pacer = create();
    return {
      runtime,
      status: () => pacer.status(),
      onDecided: (listener) => pacer.on("decided", listener),
      tryAcquire: () => pacer.tryAcquire(),
      acquire: (options) => pacer.acquire(1, options),
      run: (options) => pacer.run(() => 1, { ...options, whenLimited: "throw" }),
      exhaust: async () => void (await pacer.tryAcquire()),
      free: () => runtime.advance(EVERY_MS),
      cutStore: () => {
        link.fault = "loseCalls";
      },
      stop: async () => {
        const stopped = pacer.stop();
        await runtime.advance(20_000);
        return stopped;
      },
    };
  });
});

describe("a pacer", () => {
  it("does not count a round trip to a slow store as a wait for the limit", async () => {
    const { runtime, link, create } = linkedPacerWorld({ burst: 5 });
    Object.assign(link, { thereMs: 100, backMs: 100 });
    const pacer = create();
    const told: unknown[] = [];
    pacer.on("decided", (call) => told.push(call));
    const calls = [pacer.acquire(), pacer.acquire(), pacer.tryAcquire()];
    await runtime.advance(1_000);
    await Promise.all(calls);
    expect(told).toEqual([]);
    expect(pacer.status()).toMatchObject({
      kind: "pacer",
      limiting: false,
      reserved: 2,
      calls: { granted: 2, waited: 0, refused: 1 },
    });
    await pacer.stop();
  });

  it("is limiting for as long as a caller waits for its permit, and in a pause", async () => {
    const { runtime, create } = linkedPacerWorld({ every: 600_000, maxReserved: 5 });
    const pacer = create();
    const waits = [pacer.acquire(), pacer.acquire()];
    await runtime.advance(400_000);
    expect(pacer.status()).toMatchObject({ limiting: true, waiting: 1, calls: { granted: 1, waited: 0 } });
    await runtime.advance(200_100);
    await Promise.all(waits);
    expect(pacer.status()).toMatchObject({ limiting: true, calls: { granted: 2, waited: 1 } });
    await runtime.advance(30_000);
    expect(pacer.status().limiting).toBe(false);
    pacer.pauseUntil("20m");
    const paused = pacer.acquire().catch(() => undefined);
    await runtime.advance(700_000);
    expect(pacer.status().limiting).toBe(true);
    await pacer.stop();
    await paused;
  });

  it("counts no permit that only says its terms, nor a call of wrong cost", async () => {
    const { runtime, create } = linkedPacerWorld();
    const pacer = create();
    pacer.pauseUntil("1s");
    await runtime.advance(2_000);
    await expect(pacer.acquire(0)).rejects.toMatchObject({ code: "DT_INVALID_COST" });
    expect(pacer.status()).toMatchObject({
      reserved: 0,
      calls: { granted: 0, refused: 0, timedOut: 0, canceled: 0, storeError: 0 },
    });
    await pacer.stop();
  });
});

it("a grouped pacer counts a permit of another site as a grant after a wait", async () => {
  const runtime = new VirtualRuntime({ startMs: 1_000_000 });
  const [eu, us] = [new MemoryStore({ runtime }), new MemoryStore({ runtime })];
  const sites = { eu: { store: eu }, us: { store: us } };
  const pacer = createGroupedPacer({ name: "k", every: 60_000, sites, site: "eu", stealAfter: 50, runtime });
  const told: unknown[] = [];
  pacer.on("decided", (call) => told.push(call));
  const first = pacer.acquire();
  await runtime.advance(0);
  const stolen = pacer.acquire(1, { priority: 4 });
  await runtime.advance(500);
  await first;
  expect(await stolen).toMatchObject({ site: "us" });
  expect(pacer.status()).toMatchObject({ kind: "pacer", stolen: 1, limiting: true, calls: { granted: 2, waited: 1 } });
  expect(told).toEqual([{ result: "granted", waitedMs: expect.any(Number), cost: 1, priority: 4 }]);
  const stopped = pacer.stop();
  await runtime.advance(20_000);
  await stopped;
});
