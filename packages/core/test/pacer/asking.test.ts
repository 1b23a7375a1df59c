import { describe, expect, it } from "vitest";
import { settle } from "../../src/testing/index.ts";
import { linkedPacerWorld, pacerWorld } from "../support/pacer-world.ts";

describe("acquire with a timeout", () => {
  it("rejects at once when its instant would come later, with the time after which it is due", async () => {
    const { runtime, create } = pacerWorld();
    await using pacer = create();
    await pacer.acquire();
    await runtime.advance(1_000);
    const late = pacer.acquire(1, { timeout: "4s" });
    await expect(late).rejects.toMatchObject({
      code: "DT_TIMEOUT",
      retryAfterMs: 5_000,
      message: 'no permit of the pacer "k" within 4000 ms: one is due in 5000 ms; wait longer, or raise the rate',
    });
    expect(runtime.now()).toBe(1_001_000);
    expect(pacer.waiting).toBe(0);
  });

  it("of the pacer's own acquireTimeout counts as given, and a call's own overrides it", async () => {
    const { runtime, create } = pacerWorld({ acquireTimeout: "4s" });
    await using pacer = create();
    await pacer.acquire();
    await expect(pacer.acquire()).rejects.toMatchObject({ code: "DT_TIMEOUT", retryAfterMs: 6_000 });
    const patient = pacer.acquire(1, { timeout: "7s" });
    await runtime.advance(6_000);
    expect(await patient).toEqual({ lateMs: 0 });
  });

  it("rejects when its time is over while nothing can be reserved, with what is known of the next permit", async () => {
    const { runtime, create } = pacerWorld({ every: 1_000, maxReserved: 1 });
    await using pacer = create();
    for (let i = 0; i < 3; i++) void pacer.acquire().catch(() => undefined);
    const late = expect(pacer.acquire(1, { timeout: 500 })).rejects.toMatchObject({
      code: "DT_TIMEOUT",
      retryAfterMs: expect.closeTo(500, -1),
    });
    await runtime.advance(500);
    await late;
  });

  it("says that the store has not answered where that is why", async () => {
    const { runtime, link, create } = linkedPacerWorld();
    link.fault = "loseCalls";
    const pacer = create();
    const late = expect(pacer.acquire(1, { timeout: 300 })).rejects.toThrow(
      'no permit of the pacer "k" within 300 ms: the store has not answered',
    );
    await runtime.advance(300);
    await late;
    await runtime.advance(5_000);
    await pacer.stop();
  });

  it("of 0 takes what is free at this instant, over whatever link, and does not wait for more", async () => {
    const { runtime, link, create } = linkedPacerWorld();
    link.backMs = 50;
    await using pacer = create();
    const told: unknown[] = [];
    for (const name of ["grant", "timedOut"] as const) pacer.on(name, (event) => told.push([name, event]));
    const free = pacer.acquire(1, { timeout: 0 });
    await runtime.advance(50);
    expect(await free).toEqual({ lateMs: 0 });
    const taken = expect(pacer.acquire(1, { timeout: 0 })).rejects.toMatchObject({
      code: "DT_TIMEOUT",
      message: expect.stringMatching(/^no permit of the pacer "k" within 0 ms: one is due in \d+ ms/),
    });
    await runtime.advance(50);
    await taken;
    expect(told).toEqual([
      ["grant", { cost: 1, lateMs: 0, waitedMs: 50 }],
      ["timedOut", { cost: 1, waitedMs: 0 }],
    ]);
    expect(pacer.status().calls.granted).toBe(1);
  });
});

describe("tryAcquire", () => {
  it("answers with a permit, or with undefined, and counts what it took", async () => {
    const { runtime, create } = pacerWorld({ burst: 3 });
    await using pacer = create();
    expect(await pacer.tryAcquire(2)).toEqual({ lateMs: 0 });
    expect(await pacer.tryAcquire(2)).toBeUndefined();
    await runtime.advance(12_000);
    expect(await pacer.tryAcquire(2)).toEqual({ lateMs: 0 });
    expect(pacer.status().calls.granted).toBe(2);
  });

  it("answers no while callers wait, without asking the store, and goes before none of them", async () => {
    const { runtime, link, create } = linkedPacerWorld({ maxReserved: 0 });
    link.backMs = 10;
    const pacer = create();
    const waiting = [pacer.acquire(), pacer.acquire()];
    await settle();
    const asked = link.reserves;
    expect(await pacer.tryAcquire()).toBeUndefined();
    const limited = pacer.run(() => 1, { whenLimited: "throw" });
    await expect(limited).rejects.toMatchObject({ code: "DT_LIMITED", retryAfterMs: 200 });
    expect(link.reserves).toBe(asked);
    await runtime.advance(1_000);
    await Promise.all(waiting);
    await pacer.stop();
  });
});

it("run hands the permit to the call, and keeps the distance", async () => {
  const { runtime, create } = pacerWorld({ every: 100 });
  await using pacer = create();
  const at: number[] = [];
  const calls = [2, 1, 1].map((cost) =>
    pacer.run(({ lateMs }) => at.push(runtime.now() - 1_000_000 + lateMs), { cost, timeout: "1s" }),
  );
  await runtime.advance(500);
  await Promise.all(calls);
  expect(at).toEqual([0, 200, 300]);
});
