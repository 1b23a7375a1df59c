import { describe, expect, it } from "vitest";
import {
  createGroupedPacer,
  DtError,
  type GroupedPacer,
  type GroupedPacerOptions,
  MemoryStore,
  type PermitLedger,
  type PermitRequest,
} from "../../src/index.ts";
import { settle, VirtualRuntime } from "../../src/testing/index.ts";

/** Other requests say the terms alone. */
const wantsPermit = ({ cost }: PermitRequest): boolean => cost === 1;

/** Two sites that share ten permits a second: a permit every 200 ms each. */
function world(): {
  runtime: VirtualRuntime;
  stores: { eu: MemoryStore; us: MemoryStore };
  create(site: "eu" | "us", changes?: Partial<GroupedPacerOptions>): GroupedPacer;
} {
  const runtime = new VirtualRuntime({ startMs: 1_000_000 });
  const stores = { eu: new MemoryStore({ runtime }), us: new MemoryStore({ runtime }) };
  const sites = { eu: { store: stores.eu }, us: { store: stores.us } };
  return {
    runtime,
    stores,
    create: (site, changes) => createGroupedPacer({ name: "k", rate: 10, sites, site, runtime, ...changes }),
  };
}

/** A worker that takes permits as fast as they come. */
function saturate(pacer: GroupedPacer, runtime: VirtualRuntime, seen: { at: number; from: string }[]): void {
  const loop = async (): Promise<void> => {
    for (;;) {
      const permit = await pacer.acquire();
      if (permit) seen.push({ at: runtime.now(), from: permit.site });
    }
  };
  for (let i = 0; i < 4; i++) loop().catch(() => undefined);
}

const mapSites = (stores: Readonly<Record<string, PermitLedger>>): Record<string, { store: PermitLedger }> =>
  Object.fromEntries(Object.entries(stores).map(([name, store]) => [name, { store }]));

const inWindow = (seen: readonly { at: number }[], ms: number): number =>
  Math.max(...seen.map(({ at }, i) => seen.filter((other, j) => j >= i && other.at < at + ms).length));

describe("a grouped pacer", () => {
  it("gives each busy site its own part", async () => {
    const { runtime, create } = world();
    const [eu, us]: { at: number; from: string }[][] = [[], []];
    saturate(create("eu"), runtime, eu as []);
    saturate(create("us"), runtime, us as []);
    await runtime.advance(10_000);
    expect(eu?.length).toBeGreaterThanOrEqual(48);
    expect(us?.length).toBeGreaterThanOrEqual(48);
    const all = [...(eu ?? []), ...(us ?? [])].sort((a, b) => a.at - b.at);
    expect(inWindow(all, 1_000)).toBeLessThanOrEqual(11);
  });

  it("lets a busy site take what the other leaves unused, and no more than the total", async () => {
    const { runtime, create } = world();
    const seen: { at: number; from: string }[] = [];
    const eu = create("eu");
    saturate(eu, runtime, seen);
    await runtime.advance(10_000);
    expect(eu.stolen).toBeGreaterThan(30);
    expect(seen.length).toBeGreaterThan(80);
    expect(inWindow(seen, 1_000)).toBeLessThanOrEqual(11);
    const foreign = seen.filter(({ from }) => from === "us");
    for (const [i, { at }] of foreign.entries())
      if (i > 0) expect(at - (foreign[i - 1]?.at ?? 0)).toBeGreaterThanOrEqual(200 - 1e-6);
  });

  it("takes nothing from others while its own part suffices", async () => {
    const { runtime, create } = world();
    const eu = create("eu");
    for (let i = 0; i < 20; i++) {
      await eu.acquire();
      await runtime.advance(250);
    }
    expect(eu.stolen).toBe(0);
  });

  it("goes on with its part when the other site cannot be reached", async () => {
    const { runtime, stores, create } = world();
    const down: PermitLedger = {
      reserve: () => new Promise(() => undefined),
      release: () => new Promise(() => undefined),
    };
    const seen: { at: number; from: string }[] = [];
    const eu = create("eu", { sites: { eu: { store: stores.eu }, us: { store: down } } });
    saturate(eu, runtime, seen);
    await runtime.advance(10_000);
    expect(seen.length).toBeGreaterThanOrEqual(48);
    expect(eu.stolen).toBe(0);
  });

  it.each<[string, (runtime: VirtualRuntime) => Promise<never>]>([
    ["hang", () => new Promise(() => undefined)],
    [
      "refuse after a while",
      async (runtime) => {
        await new Promise<void>((resolve) => runtime.setTimer(resolve, 1_000));
        throw new DtError("DT_STORE_UNAVAILABLE", "refused");
      },
    ],
  ])("takes what an idle site leaves unused although two others %s", async (_, fail) => {
    const { runtime, stores, create } = world();
    const broken = (): PermitLedger => ({ reserve: () => fail(runtime), release: () => fail(runtime) });
    // Seven a second each; eu is busy and us idle.
    const sites = {
      eu: { store: stores.eu },
      ap: { store: broken() },
      sa: { store: broken() },
      us: { store: stores.us },
    };
    const seen: { at: number; from: string }[] = [];
    saturate(create("eu", { rate: 28, sites }), runtime, seen);
    await runtime.advance(20_000);
    expect(seen.filter(({ from }) => from === "us").length / 20).toBeGreaterThan(6);
  });

  it("lets a site that fails rest, longer each time, and comes back to it", async () => {
    const { runtime, stores, create } = world();
    const asked: number[] = [];
    let down = true;
    const flaky: PermitLedger = {
      reserve: async (...args) => {
        if (wantsPermit(args[1])) asked.push(runtime.now());
        if (down) throw new DtError("DT_STORE_UNAVAILABLE", "refused");
        return stores.us.reserve(...args);
      },
      release: (...args) => stores.us.release(...args),
    };
    const eu = create("eu", { sites: { eu: { store: stores.eu }, us: { store: flaky } } });
    saturate(eu, runtime, []);
    await runtime.advance(60_000);
    const rests = asked.slice(1).map((at, i) => at - (asked[i] as number));
    expect(rests.length).toBeGreaterThan(2);
    expect(rests.length).toBeLessThan(6);
    expect(Math.min(...rests)).toBeGreaterThan(1_250);
    down = false;
    await runtime.advance(31_000);
    expect(eu.stolen).toBeGreaterThan(0);
    // What it failed before does not count against it any more.
    down = true;
    await runtime.advance(1_000);
    asked.length = 0;
    await runtime.advance(3_000);
    expect(asked).toHaveLength(1);
  });

  it("divides the burst too, so that the total is kept in every second", async () => {
    const { runtime, stores, create } = world();
    const sites = { ...mapSites(stores), ap: { store: new MemoryStore({ runtime }) } };
    const seen: { at: number; from: string }[] = [];
    for (const site of ["eu", "us", "ap"]) saturate(create(site as "eu", { sites, rate: 30, burst: 5 }), runtime, seen);
    await runtime.advance(10_000);
    expect(seen.length).toBeGreaterThan(290);
    expect(inWindow(seen, 1_000)).toBeLessThanOrEqual(35);
  });

  it("divides by weight", async () => {
    const { runtime, stores, create } = world();
    const sites = { eu: { store: stores.eu, weight: 4 }, us: { store: stores.us, weight: 1 } };
    const [eu, us]: { at: number; from: string }[][] = [[], []];
    saturate(create("eu", { sites }), runtime, eu as []);
    saturate(create("us", { sites }), runtime, us as []);
    await runtime.advance(10_000);
    expect(eu?.length).toBeGreaterThanOrEqual(78);
    expect(us?.length).toBeGreaterThanOrEqual(18);
    expect(us?.length).toBeLessThanOrEqual(24);
  });

  it("leaks no permit and no timer when callers give up or it is closed", async () => {
    const { runtime, create } = world();
    const eu = create("eu");
    const controller = new AbortController();
    await eu.acquire();
    const results = Array.from({ length: 50 }, () =>
      eu.acquire(1, { signal: controller.signal }).catch((reason: unknown) => reason),
    );
    await runtime.advance(10);
    controller.abort("enough");
    expect(new Set(await Promise.all(results))).toEqual(new Set(["enough"]));
    await settle();
    const begun = runtime.now();
    const next = eu.acquire();
    await runtime.advance(190);
    expect(await next).toMatchObject({ site: "eu" });
    expect(runtime.now() - begun).toBeLessThanOrEqual(190);
    await eu.stop();
    expect(runtime.pendingTimers).toBe(0);
  });

  it("asks other sites once for all who wait, and what it takes goes to whoever came first", async () => {
    const { runtime, stores, create } = world();
    let asked = 0;
    const counting: PermitLedger = {
      reserve: (...args) => {
        asked += 1;
        return stores.us.reserve(...args);
      },
      release: (...args) => stores.us.release(...args),
    };
    const eu = create("eu", { sites: { eu: { store: stores.eu }, us: { store: counting } } });
    const order: number[] = [];
    for (let i = 0; i < 500; i++)
      eu.acquire().then(
        () => order.push(i),
        () => undefined,
      );
    await runtime.advance(2_000);
    expect(eu.stolen).toBeGreaterThan(5);
    expect(asked).toBeLessThan(30);
    expect(order).toEqual(order.map((_, i) => i));
    void eu.stop().catch(() => undefined);
  });

  it("does not besiege a busy site at high rates", async () => {
    const { runtime, stores, create } = world();
    let asked = 0;
    const busy: PermitLedger = {
      reserve: async (_key, request) => {
        if (wantsPermit(request)) asked += 1;
        const refused = {
          granted: 0,
          firstMs: 0,
          stepMs: 0,
          earliestMs: 0,
          reservedAhead: 0,
          storeTimeMs: runtime.now(),
        };
        return { ...refused, retryAfterMs: request.everyMs };
      },
      release: () => Promise.resolve(),
    };
    const sites = { eu: { store: stores.eu }, us: { store: busy } };
    const eu = create("eu", { rate: 10_000, sites });
    for (let i = 0; i < 20; i++) saturate(eu, runtime, []);
    await runtime.advance(500);
    expect(asked).toBeLessThanOrEqual(50);
    await eu.stop();
  });

  it("strict: leaves room for the whole life of a permit within each part", async () => {
    const { runtime, stores, create } = world();
    const sites = { eu: { store: stores.eu }, us: { store: stores.us } };
    const eu = create("eu", { sites, strict: true, permitTtl: 100, stealAfter: "1h" });
    const at: number[] = [];
    for (let i = 0; i < 3; i++) void eu.acquire().then(() => at.push(runtime.now() - 1_000_000));
    await runtime.advance(1_000);
    expect(at).toEqual([0, 300, 600]);
  });

  const one = new MemoryStore();
  it.each<[Partial<GroupedPacerOptions>, string]>([
    [{ site: "toString" }, 'site is "toString"; give the name'],
    [{ sites: { eu: null } as never }, "sites.eu is null; give { store }"],
    [{ sites: {} }, "sites is an object; give every site"],
    [
      { sites: { eu: { store: one, wieght: 2 } } as never },
      "sites.eu.wieght: there is no such option; did you mean sites.eu.weight?",
    ],
    [
      { sites: { eu: { store: one }, us: { store: {} as never } } },
      "sites.us.store is an object; give a store that keeps",
    ],
    [
      { sites: { eu: { store: one }, us: { store: one } } },
      "sites.us.store is an object; give each site a store of its own",
    ],
    [{ store: one } as never, "store: there is no such option"],
    [{ stealafter: 1 } as never, "stealafter: there is no such option; did you mean stealAfter? known are name, every"],
    [{ site: "asia" }, 'site is "asia"; give the name of this process\'s site, one of eu, us'],
    [{ stealAfter: -1 }, "stealAfter is -1"],
  ])("refuses %o", (changes, message) => {
    expect(() => world().create("eu", changes)).toThrowError(message);
  });
});
