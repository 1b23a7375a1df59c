import { describe, expect, it } from "vitest";
import { createGroupedPacer, type GroupedPacer, type GroupedPacerOptions, MemoryStore } from "../../src/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

const SITES = ["a", "b", "c", "d"] as const;
const TOTAL = 40;

/** Four sites with a store each, and greedy processes that come and go. */
class World {
  readonly runtime = new VirtualRuntime({ startMs: 1_000_000 });
  readonly calls: number[] = [];
  readonly #stores = new Map(SITES.map((site) => [site, { store: new MemoryStore({ runtime: this.runtime }) }]));

  storeOf(site: (typeof SITES)[number]): MemoryStore {
    return this.#stores.get(site)?.store as MemoryStore;
  }

  create(site: string, sites: readonly (typeof SITES)[number][], options: Partial<GroupedPacerOptions>): GroupedPacer {
    const parts = Object.fromEntries([...this.#stores].filter(([name]) => sites.includes(name)));
    return createGroupedPacer({ name: "api", rate: TOTAL, sites: parts, site, runtime: this.runtime, ...options });
  }

  start(site: string, sites: readonly (typeof SITES)[number][], options: Partial<GroupedPacerOptions>): GroupedPacer {
    const pacer = this.create(site, sites, options);
    const loop = async (): Promise<void> => {
      while (await pacer.acquire()) this.calls.push(this.runtime.now());
    };
    for (let caller = 0; caller < 4; caller++) loop().catch(() => undefined);
    return pacer;
  }

  /** Replaces a fleet process by process, two seconds each. */
  async roll(fleet: GroupedPacer[], sites: readonly (typeof SITES)[number][], options: Partial<GroupedPacerOptions>) {
    for (const [place, old] of fleet.entries()) {
      await old.stop();
      fleet[place] = this.start(sites[place % sites.length] as string, sites, options);
      await this.runtime.advance(2_000);
    }
  }

  /** The most calls in any second so far. */
  get worst(): number {
    return Math.max(...this.calls.map((at, i) => this.calls.filter((other, j) => j >= i && other < at + 1_000).length));
  }
}

describe("a site that is taken out of a group", () => {
  it("cannot leave its part to others while the old division is in use: they are refused", async () => {
    const world = new World();
    world.start("a", SITES, {});
    await world.runtime.advance(1_000);
    const early = world.create("a", ["a", "b", "c"], {});
    const refused = early.acquire().catch((error: unknown) => error);
    await world.runtime.advance(1_000);
    expect(await refused).toMatchObject({ code: "DT_PACE_MISMATCH" });
  });

  it("leaves its part to the others in two roll-outs, and the total is kept all along", async () => {
    const world = new World();
    const rest = ["a", "b", "c"] as const;
    const fleet = SITES.map((site) => world.start(site, SITES, {}));
    await world.runtime.advance(2_000);
    const whole = (fleet[0] as GroupedPacer).terms;
    expect(whole).toBe(SITES.map((site) => `${site}: every 100 ms, burst 1`).join("; "));
    await world.roll(fleet, rest, { rate: (TOTAL / 4) * 3, replaces: whole });
    await world.roll(fleet, rest, { rate: TOTAL, replaces: (fleet[0] as GroupedPacer).terms });
    const before = world.calls.length;
    await world.runtime.advance(10_000);
    expect(world.worst).toBeLessThanOrEqual(TOTAL + SITES.length);
    expect(world.calls.length - before).toBeGreaterThanOrEqual(TOTAL * 10 - SITES.length);
  });
});

describe("a site that is added to a group", () => {
  it("gets its part in two roll-outs, and the total is kept all along", async () => {
    const world = new World();
    const before = ["a", "b", "c"] as const;
    const fleet = ["a", "b", "c", "a"].map((site) => world.start(site, before, {}));
    await world.runtime.advance(2_000);
    const replaced = (fleet[0] as GroupedPacer).terms;
    await world.roll(fleet, before, { rate: (TOTAL / 4) * 3, replaces: replaced });
    await world.roll(fleet, SITES, { rate: TOTAL, replaces: (fleet[0] as GroupedPacer).terms });
    const calls = world.calls.length;
    await world.runtime.advance(10_000);
    expect(world.worst).toBeLessThanOrEqual(TOTAL + SITES.length);
    expect(world.calls.length - calls).toBeGreaterThanOrEqual(TOTAL * 10 - SITES.length);
  });
});

describe("while callers wait and nothing is asked for", () => {
  it("the other sites do not forget whose part they are, so that one with other sites is refused there", async () => {
    const world = new World();
    const pacer = world.create("a", ["a", "b"], { rate: "1/min", stealAfter: "1h" });
    await pacer.acquire();
    const waiting = pacer.acquire();
    // Ten seconds after a site was told last, its key may be used with other terms.
    await world.runtime.advance(60_000);
    expect(pacer.waiting).toBe(1);
    const other = world.create("b", ["b", "c"], { rate: "1/min" });
    const refused = other.acquire().catch((error: unknown) => error);
    await world.runtime.advance(1_000);
    expect(await refused).toMatchObject({ code: "DT_PACE_MISMATCH" });
    await world.runtime.advance(60_000);
    expect(await waiting).toBeDefined();
  });
});
