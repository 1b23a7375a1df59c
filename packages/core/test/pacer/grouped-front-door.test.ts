import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { describe, expect, it } from "vitest";
import { settle } from "../../src/testing/index.ts";
import { groupedPacerWorld } from "../support/grouped-pacer-world.ts";
import { START_MS } from "../support/pacer-world.ts";

it("tryAcquire takes of the own part alone", async () => {
  const { runtime, create } = groupedPacerWorld();
  const [eu, us] = [create("eu", { stealAfter: 0 }), create("us")];
  expect(await eu.tryAcquire()).toEqual({ lateMs: 0, site: "eu" });
  expect(await eu.tryAcquire()).toBeUndefined();
  expect(await us.tryAcquire()).toEqual({ lateMs: expect.closeTo(0), site: "us" });
  await runtime.advance(200);
  await expect(eu.run(({ site }) => site, { whenLimited: "throw" })).resolves.toBe("eu");
  await expect(eu.run(({ site }) => site, { whenLimited: "throw" })).rejects.toMatchObject({
    code: "DT_LIMITED",
    retryAfterMs: 200,
  });
  await expect(eu.acquire(1, { timeout: 0 })).rejects.toMatchObject({ code: "DT_TIMEOUT", retryAfterMs: 200 });
  expect(eu.stolen).toBe(0);
  await Promise.all([eu.stop(), us.stop()]);
});

it("wrap takes costs and priorities of each call, from other sites as well", async () => {
  const { runtime, create } = groupedPacerWorld();
  await using eu = create("eu");
  const seen: string[] = [];
  const send = eu.wrap(async (name: string, _cost: number, _priority: number) => void seen.push(name), {
    cost: (_, cost) => cost,
    priority: (_, __, priority) => priority,
  });
  const all = [send("a", 1, 0), send("b", 2, 0), send("c", 2, 1)];
  await runtime.advance(2_000);
  await Promise.all(all);
  expect(seen).toEqual(["a", "c", "b"]);
});

it("batches cost as much as they have items", async () => {
  const { runtime, create } = groupedPacerWorld();
  await using eu = create("eu", { maxCost: 2, stealAfter: "1h" });
  const seen: string[] = [];
  const reading = (async () => {
    for await (const batch of eu.batches([1, 2, 3], { size: 10 })) seen.push(`${batch}@${runtime.now() - START_MS}`);
  })();
  await runtime.advance(1_000);
  await reading;
  expect(seen).toEqual(["1,2@0", "3@400"]);
});

describe("status and events", () => {
  it("tell of permits of the own part and of those of others, on channels too", async () => {
    const { runtime, create } = groupedPacerWorld();
    const eu = create("eu", { stealAfter: 50 });
    const heard: unknown[] = [];
    const published: unknown[] = [];
    const hear = (message: unknown): void => void published.push(message);
    subscribe("dt:pacer:grant", hear);
    subscribe("dt:pacer:stolen", hear);
    const off = eu.on("stolen", (event) => heard.push(event));
    const both = [eu.acquire(), eu.acquire()];
    await runtime.advance(50);
    await Promise.all(both);
    unsubscribe("dt:pacer:grant", hear);
    unsubscribe("dt:pacer:stolen", hear);
    const stolen = { site: "us", cost: 1, lateMs: 0, waitedMs: 50 };
    expect(heard).toEqual([stolen]);
    expect(published).toEqual([
      { name: "k", site: "eu", cost: 1, lateMs: 0, waitedMs: 0 },
      { name: "k", ...stolen },
    ]);
    expect(eu.status()).toEqual({
      kind: "pacer",
      state: "running",
      name: "k",
      site: "eu",
      terms: eu.terms,
      stored: false,
      limit: { everyMs: 200, burst: 1 },
      waiting: 0,
      maxWaiters: 10_000,
      limiting: true,
      calls: { granted: 2, waited: 1, refused: 0, timedOut: 0, canceled: 0, storeError: 0 },
      reserved: 2,
      stolen: 1,
      wasted: 0,
      pausedForMs: 0,
      lastError: undefined,
    });
    off();
    expect(() => eu.on("taken" as "stolen", () => undefined)).toThrow("there is no such event");
    await eu.stop();
    expect(eu.status().state).toBe("stopped");
  });
});

describe("drain", () => {
  it("serves those that wait, lets calls finish, refuses new ones, and stops", async () => {
    const { runtime, create } = groupedPacerWorld();
    const eu = create("eu", { stealAfter: "1h" });
    let finish = (): void => undefined;
    const running = eu.run(() => new Promise<void>((resolve) => (finish = resolve)));
    const waiting = [eu.acquire(), eu.acquire()];
    const drained = eu.drain({ timeout: "10s" });
    await expect(eu.acquire()).rejects.toMatchObject({
      code: "DT_STOPPED",
      message: expect.stringContaining("drained"),
    });
    await runtime.advance(400);
    expect((await Promise.all(waiting)).map(({ site }) => site)).toEqual(["eu", "eu"]);
    expect(eu.status().state).toBe("draining");
    finish();
    await running;
    await settle();
    expect([await drained, eu.status().state]).toEqual([true, "stopped"]);
    expect(runtime.pendingTimers).toBe(0);
  });

  it("stops when its time is up, and refuses the callers that still wait", async () => {
    const { runtime, create } = groupedPacerWorld();
    const eu = create("eu", { stealAfter: "1h" });
    const codes = [1, 2, 3].map(() =>
      eu.acquire().then(
        () => "served",
        ({ code }: { readonly code: string }) => code,
      ),
    );
    const drained = eu.drain({ timeout: 250 });
    await runtime.advance(300);
    expect([await drained, ...(await Promise.all(codes))]).toEqual([false, "served", "served", "DT_STOPPED"]);
  });
});
