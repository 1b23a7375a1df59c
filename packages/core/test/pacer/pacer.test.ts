import { describe, expect, expectTypeOf, it } from "vitest";
import { createPacer, type PacerOptions, type Permit, type PermitLedger, type WhenLimited } from "../../src/index.ts";
import { settle } from "../../src/testing/index.ts";
import { pacerWorld, START_MS } from "../support/pacer-world.ts";

describe("a pacer", () => {
  it("goes through the design's timeline: grants at 0 and 6, the third waits until 12", async () => {
    const { runtime, create } = pacerWorld();
    const pacer = create();
    const granted: number[] = [];
    const ask = (): unknown => pacer.acquire().then(() => granted.push((runtime.now() - START_MS) / 1_000));
    ask();
    await runtime.advance(6_000);
    ask();
    await runtime.advance(5_000);
    ask();
    await runtime.advance(999);
    expect(granted).toEqual([0, 6]);
    await runtime.advance(1);
    expect(granted).toEqual([0, 6, 12]);
    await pacer.stop();
    expect(runtime.pendingTimers).toBe(0);
  });

  it("keeps the distance between several processes, and serves each in the order of its callers", async () => {
    const { runtime, create, ask } = pacerWorld({ every: 100 });
    const [a, b] = [create(), create()];
    ask(a, 3, "a");
    const seen = ask(b, 3, "b");
    await runtime.advance(500);
    expect(seen.map((entry) => Number(entry.split("@")[1]))).toEqual([0, 100, 200, 300, 400, 500]);
    expect(seen.filter((entry) => entry.startsWith("a")).map((entry) => entry.slice(0, 2))).toEqual(["a0", "a1", "a2"]);
    expect(seen.filter((entry) => entry.startsWith("b")).map((entry) => entry.slice(0, 2))).toEqual(["b0", "b1", "b2"]);
  });

  it("gives the instant of a caller that gives up to the next reservation, whoever makes it", async () => {
    const { runtime, create, ask } = pacerWorld({ every: 100 });
    const [a, b, c] = [create(), create(), create()];
    const controller = new AbortController();
    await a.acquire();
    const aborted = a.acquire(1, { signal: controller.signal }).catch((reason: unknown) => reason);
    await settle();
    const seen = ask(b, 2, "b");
    await settle();
    controller.abort("enough");
    expect(await aborted).toBe("enough");
    await settle();
    ask(c, 1, "c");
    await runtime.advance(400);
    expect(seen).toEqual(["c0@100", "b0@200", "b1@300"]);
  });

  it("gives back a thousand instants aborted at once, in few round trips, and leaks none", async () => {
    const { runtime, store, create } = pacerWorld({ every: 100, maxReserved: 2_000 });
    let releases = 0;
    const counting: PermitLedger = {
      reserve: (...args) => store.reserve(...args),
      release: (...args) => {
        releases += 1;
        return store.release(...args);
      },
    };
    const pacer = create({ store: counting });
    const controller = new AbortController();
    const results = Array.from({ length: 1_000 }, () =>
      pacer.acquire(1, { signal: controller.signal }).catch(() => "gone"),
    );
    await runtime.advance(50);
    controller.abort();
    expect(new Set((await Promise.all(results)).slice(1))).toEqual(new Set(["gone"]));
    await settle();
    expect(pacer.waiting).toBe(0);
    expect(releases).toBeLessThanOrEqual(1_000);
    const begun = runtime.now();
    const next = create();
    const at: number[] = [];
    next.acquire().then(() => at.push(runtime.now() - begun));
    await runtime.advance(1_000);
    expect(at).toEqual([50]);
  });

  it("wastes a permit whose holder wakes too late, and takes another; nothing is used late", async () => {
    const { runtime, create, ask } = pacerWorld({ every: 1_000, permitTtl: 100 });
    const pacer = create();
    const seen = ask(pacer, 2);
    await runtime.advance(500);
    runtime.jump(800);
    await runtime.advance(2_000);
    expect(seen).toEqual(["0@0", "1@2000"]);
    expect(pacer.wasted).toBe(1);
  });

  it("strict: leaves room for the whole life of a permit", async () => {
    const { runtime, create, ask } = pacerWorld({ every: 1_000, permitTtl: 200, strict: true });
    const seen = ask(create(), 3);
    await runtime.advance(3_000);
    expect(seen).toEqual(["0@0", "1@1200", "2@2400"]);
  });

  it("rejects when its timeout passes or its instant would come too late, and leaks nothing", async () => {
    const { runtime, create } = pacerWorld();
    const pacer = create();
    await pacer.acquire();
    const results: unknown[] = [];
    pacer.acquire(1, { timeout: "5s" }).catch((error: unknown) => results.push(error));
    await settle();
    expect(results).toEqual([expect.objectContaining({ code: "DT_TIMEOUT", retryAfterMs: 6_000 })]);
    const granted: number[] = [];
    pacer.acquire(1, { timeout: "7s" }).then(() => granted.push(runtime.now() - START_MS));
    await runtime.advance(7_000);
    expect(granted).toEqual([6_000]);
  });

  it("pessimistic: reserves nothing ahead, backs off, and everybody gets a turn", async () => {
    const { runtime, create, ask } = pacerWorld({ every: 100, maxReserved: 0 });
    const pacers = [create(), create(), create()];
    let seen: string[] = [];
    for (const [i, pacer] of pacers.entries()) seen = ask(pacer, 10, `p${i}-`);
    await runtime.advance(6_000);
    expect(seen).toHaveLength(30);
    const times = seen.map((entry) => Number(entry.split("@")[1]));
    for (const [i, at] of times.entries()) if (i > 0) expect(at - (times[i - 1] as number)).toBeGreaterThanOrEqual(100);
    const half = seen.slice(0, 15).map((entry) => entry.slice(0, 2));
    expect(new Set(half).size).toBe(3);
  });

  it("reserves blocks at high rates, and gives back what is not used", async () => {
    const { runtime, store, create } = pacerWorld({ rate: 10_000, every: undefined as never, maxReserved: 1_000 });
    let reserves = 0;
    const counting: PermitLedger = {
      reserve: (...args) => {
        reserves += 1;
        return store.reserve(...args);
      },
      release: (...args) => store.release(...args),
    };
    const pacer = create({ store: counting });
    let granted = 0;
    const worker = async (): Promise<void> => {
      for (let i = 0; i < 250; i++) {
        await pacer.acquire();
        granted += 1;
      }
    };
    void Promise.all(Array.from({ length: 20 }, worker));
    await runtime.advance(600);
    expect(granted).toBe(5_000);
    expect(reserves).toBeLessThan(500);
    await pacer.stop();
    expect(runtime.pendingTimers).toBe(0);
  });

  it("fails callers at once when the store does not answer, and goes on when it does", async () => {
    const { runtime, store, create } = pacerWorld();
    let down = true;
    const flaky: PermitLedger = {
      reserve: (...args) => (down ? new Promise(() => undefined) : store.reserve(...args)),
      release: (...args) => store.release(...args),
    };
    const pacer = create({ store: flaky });
    const refusal = expect(pacer.acquire()).rejects.toMatchObject({ code: "DT_STORE_TIMEOUT" });
    await runtime.advance(1_250);
    await refusal;
    down = false;
    expect(await pacer.acquire()).toEqual({ lateMs: 0 });
    await pacer.stop();
    await expect(pacer.acquire()).rejects.toMatchObject({ code: "DT_STOPPED" });
  });
});

describe("pacer.wrap", () => {
  it("waits, skips or throws, as a wrapper and as a decorator", async () => {
    const { runtime, create } = pacerWorld();
    const pacer = create();
    class Client {
      calls: string[] = [];
      @pacer.wrap
      async wait(name: string): Promise<string> {
        this.calls.push(name);
        return name;
      }
      @pacer.wrap({ whenLimited: "skip" })
      async skip(name: string): Promise<string | undefined> {
        this.calls.push(name);
        return name;
      }
    }
    const client = new Client();
    expect(await client.wait("a")).toBe("a");
    expect(await client.skip("b")).toBeUndefined();
    const thrower = pacer.wrap(() => "c", { whenLimited: "throw" });
    await expect(thrower()).rejects.toMatchObject({ code: "DT_LIMITED", retryAfterMs: 6_000 });
    const waiting = client.wait("d");
    await runtime.advance(6_000);
    expect(await waiting).toBe("d");
    await runtime.advance(6_000);
    expect(await client.skip("e")).toBe("e");
    expect(client.calls).toEqual(["a", "d", "e"]);
  });

  it.each<[unknown[], string]>([
    [[{ whenLimited: "drop" }], 'whenLimited is "drop"'],
    [[{ whenlimited: "skip" }], "whenlimited: there is no such option; did you mean whenLimited?"],
    [[() => 1, { cost: 0 }], "cost is 0"],
    [[() => 1, { cost: 1e10 }], "cost is 10000000000"],
    [[null], "wrap is null; give a function"],
    [[undefined], "wrap is undefined; give a function"],
    [[() => 1, "skip"], 'options is "skip"; give { cost, whenLimited, signal, timeout, priority }'],
    // As TypeScript's experimentalDecorators call it: with a prototype or a class, a name and a descriptor.
    [
      [{}, "go", {}],
      'options is "go"; give { cost, whenLimited, signal, timeout, priority }. As a decorator it is a standard one',
    ],
    [[class {}, "go", {}], "turn experimentalDecorators off"],
  ])("refuses %o when it is called, not at the first call of the function", (args, message) => {
    const { create } = pacerWorld();
    expect(() => (create().wrap as (...args: unknown[]) => unknown)(...args)).toThrowError(message);
  });
});

it("types say where there may be no permit, and no result", () => {
  const pacer = pacerWorld().create();
  expectTypeOf(() => pacer.acquire(2)).returns.resolves.toEqualTypeOf<Permit>();
  expectTypeOf(() => pacer.acquire(1, { timeout: 5 })).returns.resolves.toEqualTypeOf<Permit>();
  expectTypeOf(() => pacer.tryAcquire()).returns.resolves.toEqualTypeOf<Permit | undefined>();
  const paced = (whenLimited: WhenLimited) => pacer.wrap((n: number) => n, { whenLimited })(1);
  expectTypeOf(paced).returns.resolves.toEqualTypeOf<number | undefined>();
  expectTypeOf(pacer.wrap((n: number) => n, { whenLimited: "throw" })).returns.resolves.toEqualTypeOf<number>();
  const skipping = pacer.wrap((n: number) => n, { whenLimited: "skip" });
  expectTypeOf(skipping).returns.resolves.toEqualTypeOf<number | undefined>();
});

describe("every wrong option is refused by its name, its value and the remedy", () => {
  const { store } = pacerWorld();
  it.each<[Record<string, unknown>, string]>([
    [{ name: "" }, 'name is ""'],
    [{ every: undefined }, "every is undefined and rate is undefined; give exactly one"],
    [{ rate: 5 }, 'every is "6s" and rate is 5; give exactly one'],
    [{ every: 0 }, "every is 0"],
    [{ every: undefined, rate: -1 }, "rate is -1"],
    [{ burst: 0 }, "burst is 0"],
    [{ maxReserved: 1.5 }, "maxReserved is 1.5"],
    [{ store: {} }, "store is an object; give a store that keeps permits"],
    [{ store: Promise.resolve(store) }, "store is an object; await it first: it is a promise"],
    [{ every: undefined, rate: 1e-9 }, "rate is 1e-9; give permits per second, at least 1e-7"],
    [{ strict: "yes" }, 'strict is "yes"'],
    [{ ttl: 5 }, "ttl: there is no such option"],
  ])("%o", (changes, message) => {
    expect(() => createPacer({ name: "k", every: "6s", store, ...changes } as PacerOptions)).toThrowError(message);
  });
});
