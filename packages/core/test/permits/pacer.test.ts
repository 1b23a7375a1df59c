import { describe, expect, it } from "vitest";
import {
  createPacer,
  isDtError,
  MemoryStore,
  type Pacer,
  type PacerOptions,
  type PermitLedger,
} from "../../src/index.ts";
import { settle, VirtualRuntime } from "../../src/testing/index.ts";

function world(options: Partial<PacerOptions> = {}): {
  runtime: VirtualRuntime;
  store: MemoryStore;
  create(more?: Partial<PacerOptions>): Pacer;
  record(pacer: Pacer, count: number, label?: string): string[];
} {
  const runtime = new VirtualRuntime({ startMs: 1_000_000 });
  const store = new MemoryStore({ runtime });
  const seen: string[] = [];
  return {
    runtime,
    store,
    create: (more) => createPacer({ key: "k", every: "6s", store, runtime, ...options, ...more }),
    record: (pacer, count, label = "") => {
      for (let i = 0; i < count; i++)
        pacer.acquire().then(
          (permit) => seen.push(permit ? `${label}${i}@${runtime.now() - 1_000_000}` : `${label}${i}:none`),
          (error: unknown) => seen.push(`${label}${i}:${isDtError(error) ? error.code : error}`),
        );
      return seen;
    },
  };
}

describe("a pacer", () => {
  it("goes through the seed's timeline: grants at 0 and 6, the third waits until 12", async () => {
    const { runtime, create } = world();
    const pacer = create();
    const granted: number[] = [];
    const ask = (): unknown => pacer.acquire().then(() => granted.push((runtime.now() - 1_000_000) / 1_000));
    ask();
    await runtime.advance(6_000);
    ask();
    await runtime.advance(5_000);
    ask();
    await runtime.advance(999);
    expect(granted).toEqual([0, 6]);
    await runtime.advance(1);
    expect(granted).toEqual([0, 6, 12]);
    await pacer.close();
    expect(runtime.pendingTimers).toBe(0);
  });

  it("keeps the distance between several processes, and serves each in the order of its callers", async () => {
    const { runtime, create, record } = world({ every: 100 });
    const [a, b] = [create(), create()];
    record(a, 3, "a");
    const seen = record(b, 3, "b");
    await runtime.advance(500);
    expect(seen.map((entry) => Number(entry.split("@")[1]))).toEqual([0, 100, 200, 300, 400, 500]);
    expect(seen.filter((entry) => entry.startsWith("a")).map((entry) => entry.slice(0, 2))).toEqual(["a0", "a1", "a2"]);
    expect(seen.filter((entry) => entry.startsWith("b")).map((entry) => entry.slice(0, 2))).toEqual(["b0", "b1", "b2"]);
  });

  it("gives the instant of a caller that gives up to the next reservation, whoever makes it", async () => {
    const { runtime, create, record } = world({ every: 100 });
    const [a, b, c] = [create(), create(), create()];
    const controller = new AbortController();
    await a.acquire();
    const aborted = a.acquire({ signal: controller.signal }).catch((reason: unknown) => reason);
    await settle();
    const seen = record(b, 2, "b");
    await settle();
    controller.abort("enough");
    expect(await aborted).toBe("enough");
    await settle();
    record(c, 1, "c");
    await runtime.advance(400);
    expect(seen).toEqual(["c0@100", "b0@200", "b1@300"]);
  });

  it("gives back a thousand instants aborted at once, in few round trips, and leaks none", async () => {
    const { runtime, store, create } = world({ every: 100, maxReserved: 2_000 });
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
      pacer.acquire({ signal: controller.signal }).catch(() => "gone"),
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
    const { runtime, create, record } = world({ every: 1_000, permitTtl: 100 });
    const pacer = create();
    const seen = record(pacer, 2);
    await runtime.advance(500);
    runtime.jump(800);
    await runtime.advance(2_000);
    expect(seen).toEqual(["0@0", "1@2000"]);
    expect(pacer.wasted).toBe(1);
  });

  it("strict: leaves room for the whole life of a permit", async () => {
    const { runtime, create, record } = world({ every: 1_000, permitTtl: 200, strict: true });
    const seen = record(create(), 3);
    await runtime.advance(3_000);
    expect(seen).toEqual(["0@0", "1@1200", "2@2400"]);
  });

  it("answers undefined when its timeout passes or its instant would come too late, and leaks nothing", async () => {
    const { runtime, create } = world();
    const pacer = create();
    await pacer.acquire();
    const results: unknown[] = [];
    pacer.acquire({ timeout: "5s" }).then((permit) => results.push(permit));
    await settle();
    expect(results).toEqual([undefined]);
    const granted: number[] = [];
    pacer.acquire({ timeout: "7s" }).then(() => granted.push(runtime.now() - 1_000_000));
    await runtime.advance(7_000);
    expect(granted).toEqual([6_000]);
  });

  it("pessimistic: reserves nothing ahead, backs off, and everybody gets a turn", async () => {
    const { runtime, create, record } = world({ every: 100, maxReserved: 0 });
    const pacers = [create(), create(), create()];
    let seen: string[] = [];
    for (const [i, pacer] of pacers.entries()) seen = record(pacer, 10, `p${i}-`);
    await runtime.advance(6_000);
    expect(seen).toHaveLength(30);
    const times = seen.map((entry) => Number(entry.split("@")[1]));
    for (const [i, at] of times.entries()) if (i > 0) expect(at - (times[i - 1] as number)).toBeGreaterThanOrEqual(100);
    const half = seen.slice(0, 15).map((entry) => entry.slice(0, 2));
    expect(new Set(half).size).toBe(3);
  });

  it("reserves blocks at high rates, and gives back what is not used", async () => {
    const { runtime, store, create } = world({ rate: 10_000, every: undefined as never, maxReserved: 1_000 });
    let reserves = 0;
    const counting: PermitLedger = {
      reserve: (...args) => {
        reserves += 1;
        return store.reserve(...args);
      },
      release: (...args) => store.release(...args),
    };
    const pacer = createPacer({ key: "k", rate: 10_000, maxReserved: 1_000, store: counting, runtime });
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
    void create;
    await pacer.close();
    expect(runtime.pendingTimers).toBe(0);
  });

  it("fails callers at once when the store does not answer, and goes on when it does", async () => {
    const { runtime, store, create } = world();
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
    await pacer.close();
    await expect(pacer.acquire()).rejects.toMatchObject({ code: "DT_STOPPED" });
  });
});

describe("pacer.throttle", () => {
  it("waits, skips or throws, as a wrapper and as a decorator", async () => {
    const { runtime, create } = world();
    const pacer = create();
    class Client {
      calls: string[] = [];
      @pacer.throttle
      async wait(name: string): Promise<string> {
        this.calls.push(name);
        return name;
      }
      @pacer.throttle({ onLimit: "skip" })
      async skip(name: string): Promise<string | undefined> {
        this.calls.push(name);
        return name;
      }
    }
    const client = new Client();
    expect(await client.wait("a")).toBe("a");
    expect(await client.skip("b")).toBeUndefined();
    const thrower = pacer.throttle(() => "c", { onLimit: "throw" });
    await expect(thrower()).rejects.toMatchObject({ code: "DT_LIMITED", retryAfterMs: 6_000 });
    const waiting = client.wait("d");
    await runtime.advance(6_000);
    expect(await waiting).toBe("d");
    await runtime.advance(6_000);
    expect(await client.skip("e")).toBe("e");
    expect(client.calls).toEqual(["a", "d", "e"]);
  });
});

describe("every wrong option is refused by its name, its value and the remedy", () => {
  const { store } = world();
  it.each<[Record<string, unknown>, string]>([
    [{ key: "" }, 'key is ""'],
    [{ every: undefined }, "every is undefined and rate is undefined; give exactly one"],
    [{ rate: 5 }, 'every is "6s" and rate is 5; give exactly one'],
    [{ every: 0 }, "every is 0"],
    [{ every: undefined, rate: -1 }, "rate is -1"],
    [{ burst: 0 }, "burst is 0"],
    [{ maxReserved: 1.5 }, "maxReserved is 1.5"],
    [{ store: {} }, "store is an object"],
    [{ strict: "yes" }, 'strict is "yes"'],
    [{ ttl: 5 }, "ttl is 5; there is no such option"],
  ])("%o", (changes, message) => {
    expect(() => createPacer({ key: "k", every: "6s", store, ...changes } as PacerOptions)).toThrowError(message);
  });
});
