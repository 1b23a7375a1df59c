import { describe, expect, it } from "vitest";
import { createGroupedPacer, DtError, type GroupedPacer, MemoryStore, type PermitLedger } from "../../src/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

const SITES = ["a", "b", "c"] as const;
type SiteName = (typeof SITES)[number];
const RATE = 30;

/** Every list of these sites but the empty one. */
const LISTS: readonly (readonly SiteName[])[] = Array.from({ length: 7 }, (_, i) =>
  SITES.filter((_site, bit) => ((i + 1) >> bit) & 1),
);

/**
 * Sites with a store each, which can be cut off from each other, and the calls of all processes as somebody outside
 * counts them.
 */
class World {
  readonly runtime = new VirtualRuntime({ startMs: 1_000_000 });
  readonly #stores = new Map(SITES.map((site) => [site, new MemoryStore({ runtime: this.runtime })]));
  readonly #pacers: GroupedPacer[] = [];
  readonly calls: { readonly atMs: number; readonly by: string }[] = [];
  readonly refused = new Set<string>();
  /** A site whose processes reach only their own store, and which nobody else reaches. */
  cutOff: SiteName | undefined;

  /**
   * One process at a site: two callers that make a call as soon as they may, and try again when they are refused.
   * Nothing is taken from other sites unless `steals`.
   */
  start(by: string, sites: readonly SiteName[], site: SiteName, weights: Partial<Record<SiteName, number>> = {}): void {
    const parts = sites.map((name) => [name, { store: this.#seenFrom(site, name), weight: weights[name] ?? 1 }]);
    const options = { name: "api", rate: RATE, sites: Object.fromEntries(parts), site, runtime: this.runtime };
    const pacer = createGroupedPacer({ ...options, stealAfter: by.endsWith("steals") ? 0 : "1h" });
    this.#pacers.push(pacer);
    const loop = async (): Promise<void> => {
      for (;;)
        try {
          await pacer.acquire();
          this.calls.push({ atMs: this.runtime.now() - 1_000_000, by });
        } catch (error) {
          if (!(error instanceof DtError) || error.code === "DT_STOPPED") return;
          if (error.code === "DT_PACE_MISMATCH") this.refused.add(by);
          await new Promise<void>((resolve) => void this.runtime.setTimer(resolve, 200));
        }
    };
    for (let caller = 0; caller < 2; caller++) void loop();
  }

  callsBy(by: string, fromMs = 0): number {
    return this.calls.filter((call) => call.by === by && call.atMs >= fromMs).length;
  }

  /** The most calls within any second that begins at `fromMs` or later. */
  worst(fromMs = 0): number {
    const times = this.calls.map(({ atMs }) => atMs).filter((atMs) => atMs >= fromMs);
    let most = 0;
    for (let first = 0, last = 0; last < times.length; last++) {
      while ((times[first] as number) <= (times[last] as number) - 1_000) first += 1;
      most = Math.max(most, last - first + 1);
    }
    return most;
  }

  async close(): Promise<void> {
    const closed = Promise.all(this.#pacers.map((pacer) => pacer.stop()));
    await this.runtime.advance(5_000);
    await closed;
  }

  #seenFrom(site: SiteName, name: SiteName): PermitLedger {
    const store = this.#stores.get(name) as MemoryStore;
    const reach = async (): Promise<void> => {
      if (site !== name && (this.cutOff === site || this.cutOff === name))
        throw new DtError("DT_STORE_UNAVAILABLE", "cut off");
    };
    return {
      reserve: (...args) => reach().then(() => store.reserve(...args)),
      release: (...args) => reach().then(() => store.release(...args)),
    };
  }
}

const share = (a: readonly SiteName[], b: readonly SiteName[]): boolean => a.some((site) => b.includes(site));
const MIXTURES = LISTS.flatMap((old) => LISTS.filter((next) => next !== old).map((next) => ({ old, next })));

/** The permits of a second, and one more of each part: they are at no distance from each other. */
const MOST = RATE + SITES.length;

describe("two lists of sites at the same time", () => {
  it.each(["keeps", "steals"])(
    "never exceed the total where they share a site, whoever lives where (a site %s)",
    async (how) => {
      let mixed = 0;
      for (const { old, next } of MIXTURES.filter(({ old, next }) => share(old, next)))
        for (const oldAt of homes(old, next))
          for (const nextAt of homes(next, old)) {
            const world = new World();
            for (const site of oldAt) world.start(`old ${how}`, old, site);
            await world.runtime.advance(4_000);
            for (const site of nextAt) world.start(`new ${how}`, next, site);
            await world.runtime.advance(13_000);
            const what = `${old} at ${oldAt}, then ${next} at ${nextAt}`;
            expect(world.worst(), what).toBeLessThanOrEqual(MOST);
            expect(world.refused, what).toEqual(new Set([`new ${how}`]));
            expect(world.callsBy(`new ${how}`), what).toBe(0);
            await world.close();
            mixed += 1;
          }
      expect(mixed).toBeGreaterThan(50);
    },
  );

  it("do exceed it where they share none: nothing knows of both", async () => {
    const world = new World();
    world.start("old", ["a"], "a");
    world.start("new", ["b"], "b");
    await world.runtime.advance(5_000);
    expect(world.worst()).toBeGreaterThan(1.9 * RATE);
    await world.close();
  });

  it("of the same sites with other weights are refused as well", async () => {
    const world = new World();
    world.start("old", ["a", "b", "c"], "a", { a: 1, b: 2, c: 1 });
    await world.runtime.advance(2_000);
    world.start("new", ["a", "b", "c"], "c", { a: 2, b: 1, c: 1 });
    await world.runtime.advance(10_000);
    expect(world.callsBy("new")).toBe(0);
    await world.close();
  });

  it("give way to the later one some seconds after the last process of the earlier one ended", async () => {
    const world = new World();
    world.start("old", ["a", "b"], "b");
    await world.runtime.advance(4_000);
    await world.close();
    world.start("new", ["a", "c"], "c");
    await world.runtime.advance(15_000);
    expect(world.callsBy("new", 20_000)).toBeGreaterThan(10);
    expect(world.worst()).toBeLessThanOrEqual(MOST);
    await world.close();
  });

  it("exceed it by the part of a site that is cut off, until it is back", async () => {
    const world = new World();
    world.start("old", ["a", "b", "c"], "c");
    await world.runtime.advance(4_000);
    world.cutOff = "c";
    await world.runtime.advance(12_000);
    for (const site of ["a", "b"] as const) world.start("new", ["a", "b"], site);
    await world.runtime.advance(10_000);
    expect(world.worst()).toBeGreaterThan(MOST);
    expect(world.worst()).toBeLessThanOrEqual(MOST + RATE / 3);
    world.cutOff = undefined;
    await world.runtime.advance(10_000);
    // Told within three seconds; what is reserved by then is used.
    expect(world.worst(26_000 + 3_500 + 1_000)).toBeLessThanOrEqual(MOST);
    expect(world.refused).toEqual(new Set(["old"]));
    await world.close();
  });
});

/** Where the processes of a list may live: at all its sites, or only at those that the other list does not have. */
function homes(own: readonly SiteName[], other: readonly SiteName[]): (readonly SiteName[])[] {
  const alone = own.filter((site) => !other.includes(site));
  return alone.length > 0 && alone.length < own.length ? [own, alone] : [own];
}
