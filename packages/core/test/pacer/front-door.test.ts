import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { describe, expect, expectTypeOf, it } from "vitest";
import { linkedPacerWorld, pacerWorld, START_MS } from "../support/pacer-world.ts";

describe("wrap", () => {
  it("takes for each call what it costs, by its arguments and its this", async () => {
    const { runtime, create } = pacerWorld({ every: 100 });
    await using pacer = create();
    const seen: string[] = [];
    class Mailer {
      readonly weight = 2;
      @pacer.wrap({
        cost(this: unknown, to: string[]): number {
          return to.length * (this as Mailer).weight;
        },
      })
      async send(to: string[]): Promise<void> {
        seen.push(`${to.join("+")}@${runtime.now() - START_MS}`);
      }
    }
    const mailer = new Mailer();
    const all = Promise.all([mailer.send(["ann", "bob"]), mailer.send(["cyd"]), mailer.send(["dan"])]);
    await runtime.advance(1_000);
    await all;
    expect(seen).toEqual(["ann+bob@0", "cyd@400", "dan@600"]);
  });

  it("does not make a call whose timeout passes or whose signal aborts: DT_TIMEOUT, or the signal's reason", async () => {
    const { runtime, create } = pacerWorld({ every: 1_000 });
    await using pacer = create();
    let calls = 0;
    const abort = new AbortController();
    const call = pacer.wrap((_late: boolean) => ++calls, {
      timeout: (late) => (late ? "200ms" : undefined),
      signal: (late) => (late ? undefined : abort.signal),
    });
    expect(await call(true)).toBe(1);
    const [late, aborted] = [true, false].map((which) => call(which).catch((reason: unknown) => reason));
    await runtime.advance(200);
    expect(await late).toMatchObject({ code: "DT_TIMEOUT" });
    abort.abort("enough");
    expect(await aborted).toBe("enough");
    expect(calls).toBe(1);
  });

  it("refuses wrong options by name, and has undefined in its type only where a call may not be made", async () => {
    const { create } = pacerWorld();
    await using pacer = create();
    expect(() => pacer.wrap(() => 1, { timeout: "soon" as "1s" })).toThrow('timeout is "soon"; give milliseconds');
    expect(() => pacer.wrap(() => 1, { whenLimited: "stop" as "skip" })).toThrow(
      'whenLimited is "stop"; give "wait" or "throw" or "skip"',
    );
    const length = (text: string): number => text.length;
    expectTypeOf(pacer.wrap(length, { cost: (text) => text.length })).returns.resolves.toEqualTypeOf<number>();
    expectTypeOf(pacer.wrap(length, { timeout: 5 })).returns.resolves.toEqualTypeOf<number>();
    const whenLimited: "skip" | "wait" = "wait" as "skip" | "wait";
    expectTypeOf(pacer.wrap(length, { whenLimited })).returns.resolves.toEqualTypeOf<number | undefined>();
  });
});

it("batches cost as much as they have items, and have no more than may be asked for at once", async () => {
  const { runtime, create } = pacerWorld({ every: 100, maxReserved: 3 });
  await using pacer = create();
  const seen: string[] = [];
  const reading = (async () => {
    for await (const batch of pacer.batches([1, 2, 3, 4, 5, 6], { size: 10 }))
      seen.push(`${batch.join()}@${runtime.now() - START_MS}`);
  })();
  await runtime.advance(1_000);
  await reading;
  expect(seen).toEqual(["1,2,3,4@0", "5,6@400"]);
});

it.each([
  ["600/min", 100],
  ["5/2s", 400],
  [10, 100],
] as const)("rate: %j leaves %d ms between two permits", async (rate, everyMs) => {
  const { runtime, create, ask } = pacerWorld();
  await using pacer = create({ every: undefined as never, rate });
  const seen = ask(pacer, 2);
  await runtime.advance(500);
  expect(seen).toEqual(["0@0", `1@${everyMs}`]);
});

describe("status and events", () => {
  it("tell what happens to permits, on channels too", async () => {
    const { runtime, create } = pacerWorld({ every: 100, maxReserved: 1 });
    const pacer = create({ permitTtl: 50 });
    const heard: unknown[] = [];
    const published: unknown[] = [];
    const hear = (message: unknown): void => void published.push(message);
    subscribe("dt:pacer:grant", hear);
    pacer.on("grant", (event) => heard.push(event));
    pacer.on("refused", ({ waiting }) => heard.push(`${waiting} wait`));
    const all = Array.from({ length: 4 }, () => pacer.acquire());
    await runtime.advance(0);
    expect(pacer.status()).toEqual({
      kind: "pacer",
      state: "running",
      name: "k",
      terms: "every 100 ms, burst 1",
      stored: false,
      limit: { everyMs: 100, burst: 1 },
      waiting: 3,
      maxWaiters: 10_000,
      limiting: true,
      calls: { granted: 1, waited: 0, refused: 0, timedOut: 0, canceled: 0, storeError: 0 },
      reserved: 2,
      wasted: 0,
      pausedForMs: 0,
      lastError: undefined,
    });
    runtime.suspend(0);
    await runtime.advance(400);
    await Promise.all(all);
    unsubscribe("dt:pacer:grant", hear);
    const grants = [0, 100, 200, 300].map((waitedMs) => ({ cost: 1, lateMs: 0, waitedMs }));
    expect(published).toEqual(grants.map((grant) => ({ name: "k", ...grant })));
    expect(heard.filter((event) => typeof event === "object")).toEqual(grants);
    expect(heard.filter((event) => typeof event === "string")).toEqual(["3 wait", "3 wait"]);
    await pacer.stop();
    expect(pacer.status()).toMatchObject({ state: "stopped", waiting: 0, calls: { granted: 4, waited: 3 } });
  });

  it("tell of a permit that came too late, and whose it was", async () => {
    const { runtime, create, ask } = pacerWorld({ every: 1_000, permitTtl: 100 });
    await using pacer = create();
    const wasted: unknown[] = [];
    const off = pacer.on("wasted", (event) => wasted.push(event));
    ask(pacer, 2);
    await runtime.advance(500);
    runtime.jump(800);
    await runtime.advance(2_000);
    expect(wasted).toEqual([{ lateMs: 300 }]);
    expect(pacer.status().wasted).toBe(1);
    off();
  });

  it("callers who set no time wait for as long as it takes", async () => {
    const { runtime, create, ask } = pacerWorld({ every: "1m" });
    await using pacer = create();
    const seen = ask(pacer, 30);
    await runtime.advance(29 * 60_000);
    expect(seen).toEqual(Array.from({ length: 30 }, (_, n) => `${n}@${n * 60_000}`));
  });

  it("an acquireTimeout speaks of the permits that were wasted while its caller waited, not of those before", async () => {
    const { runtime, create, ask } = pacerWorld({ every: 1_000, permitTtl: 100, acquireTimeout: 1_500 });
    await using pacer = create();
    ask(pacer, 2);
    await runtime.advance(500);
    runtime.jump(800);
    await runtime.advance(700);
    expect(pacer.status().wasted).toBe(1);
    const failed = Promise.all([1, 2, 3].map(() => pacer.acquire())).catch(({ message }: Error) => message);
    await runtime.advance(2_000);
    expect(await failed).toMatch(/or raise the rate$/);
  });

  it("tell of a failed call to the store, and forget it after the next success", async () => {
    const { runtime, create, link } = linkedPacerWorld();
    const pacer = create();
    const errors: string[] = [];
    pacer.on("storeError", ({ operation, error }) => errors.push(`${operation}: ${error.code}`));
    link.fault = "loseCalls";
    const failed = pacer.acquire().catch((error: { readonly code: string }) => error.code);
    await runtime.advance(3_000);
    expect(await failed).toBe("DT_STORE_TIMEOUT");
    expect(errors).toContain("reserve: DT_STORE_TIMEOUT");
    expect(pacer.status().lastError).toMatchObject({ code: "DT_STORE_TIMEOUT" });
    link.fault = "none";
    const next = pacer.acquire();
    await runtime.advance(1_000);
    await next;
    expect(pacer.status().lastError).toBeUndefined();
    await pacer.stop();
  });
});

describe("drain", () => {
  it("serves those who wait, lets wrapped calls finish, refuses who comes now, and stops", async () => {
    const { runtime, create, ask } = pacerWorld({ every: 100 });
    const pacer = create();
    const seen = ask(pacer, 3);
    let finish = (): void => undefined;
    const running = pacer.wrap(() => new Promise<void>((resolve) => (finish = resolve)))();
    const drained = pacer.drain({ timeout: "10s" });
    expect(pacer.status().state).toBe("draining");
    await expect(pacer.acquire()).rejects.toMatchObject({
      code: "DT_STOPPED",
      message: expect.stringContaining("drained"),
    });
    await runtime.advance(2_000);
    expect(seen).toEqual(["0@0", "1@100", "2@200"]);
    expect(pacer.status().state).toBe("draining");
    finish();
    await running;
    expect(await drained).toBe(true);
    expect(pacer.status().state).toBe("stopped");
  });

  it("stops when its time is up, and refuses who still waits", async () => {
    const { runtime, create, ask } = pacerWorld({ every: 100 });
    const pacer = create();
    const seen = ask(pacer, 4);
    const drained = pacer.drain({ timeout: 150 });
    await runtime.advance(200);
    expect(await drained).toBe(false);
    expect(seen).toEqual(["0@0", "1@100", "2:DT_STOPPED", "3:DT_STOPPED"]);
  });

  it("is not in order when stop comes meanwhile; of an idle pacer it is at once", async () => {
    const { runtime, create, ask } = pacerWorld({ every: 100 });
    const [busy, idle] = [create(), create({ name: "idle" })];
    ask(busy, 3);
    const drained = busy.drain();
    await busy.stop();
    expect(await drained).toBe(false);
    expect(await idle.drain({ timeout: 0 })).toBe(true);
    await expect(idle.drain({ timeout: -1 })).rejects.toMatchObject({ code: "DT_INVALID_OPTION" });
    await runtime.advance(100);
  });

  it.each([
    ["none", true],
    ["loseCalls", false],
  ] as const)("is in order only when an instant that no caller uses went back: %s", async (fault, inOrder) => {
    const { runtime, link, create, ask } = linkedPacerWorld({ every: 100 });
    const pacer = create();
    const seen = ask(pacer, 2);
    const gone = new AbortController();
    pacer.acquire(1, { signal: gone.signal }).catch(() => undefined);
    await runtime.advance(50);
    const drained = pacer.drain();
    link.fault = fault;
    gone.abort();
    await runtime.advance(10_000);
    expect(seen).toEqual(["0@0", "1@100"]);
    expect(link.releases).toBe(1);
    expect(await drained).toBe(inOrder);
    expect(await pacer.drain(), "asked again").toBe(inOrder);
  });
});

it("events tell how long callers had waited, whose time was up, and who found the line full", async () => {
  const { runtime, create } = pacerWorld({ every: 100, maxWaiters: 3 });
  const pacer = create();
  const told: unknown[] = [];
  for (const name of ["grant", "timedOut", "queueFull"] as const) pacer.on(name, (event) => told.push([name, event]));
  const served = [pacer.acquire(), pacer.acquire()];
  const impatient = pacer.acquire(1, { timeout: 150 }).catch((error: unknown) => error);
  await expect(pacer.acquire()).rejects.toMatchObject({ code: "DT_QUEUE_FULL" });
  await runtime.advance(500);
  await Promise.all(served);
  expect(await impatient).toMatchObject({ code: "DT_TIMEOUT", retryAfterMs: expect.any(Number) });
  expect(told).toEqual([
    ["queueFull", { waiting: 3 }],
    ["grant", { cost: 1, lateMs: 0, waitedMs: 0 }],
    ["timedOut", { cost: 1, waitedMs: expect.any(Number) }],
    ["grant", { cost: 1, lateMs: 0, waitedMs: 100 }],
  ]);
  await pacer.stop();
});
