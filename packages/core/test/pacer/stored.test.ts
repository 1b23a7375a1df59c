import { describe, expect, it } from "vitest";
import type { LimitValues, PermitLedger } from "../../src/index.ts";
import { settle } from "../../src/testing/index.ts";
import { groupedPacerWorld } from "../support/grouped-pacer-world.ts";
import { linkedPacerWorld, type PacerWorld, pacerWorld } from "../support/pacer-world.ts";

const set = (world: Pick<PacerWorld, "store">, values: LimitValues | undefined) =>
  world.store.setLimit({ kind: "permits", name: "k" }, { values, by: "ann" });

const times = (seen: readonly string[]): number[] => seen.map((entry) => Number(entry.split("@")[1]));

/** The most permits in any second that begins from then on. */
function mostInASecond(at: readonly number[], fromMs: number): number {
  const after = at.filter((ms) => ms >= fromMs);
  return Math.max(0, ...after.map((ms) => after.filter((other) => other >= ms && other < ms + 1_000).length));
}

describe("a pacer with a stored limit", () => {
  it("goes by the code's value of the first one, whatever the others say", async () => {
    const { runtime, create, ask } = pacerWorld({ stored: true, every: 100 });
    const [a, b] = [create(), create({ every: 7, burst: 3 })];
    const seen = ask(a, 2, "a");
    await settle();
    ask(b, 2, "b");
    await runtime.advance(400);
    expect(seen).toEqual(["a0@0", "a1@100", "b0@200", "b1@300"]);
    expect(b.status()).toMatchObject({ stored: true, limit: { everyMs: 100, burst: 1 } });
    expect(b.terms).toBe("every 7 ms, burst 3");
  });

  it("is never above a limit that was raised, and never above the new one once it is lowered", async () => {
    const world = pacerWorld({ stored: true, every: 50 });
    const pacers = Array.from({ length: 30 }, () => world.create());
    const all = pacers.map((pacer) => world.ask(pacer, 20))[0] as string[];
    await world.runtime.advance(5_000);
    expect(mostInASecond(times(all), 0)).toBe(20);
    await set(world, { everyMs: 10 });
    await world.runtime.advance(2_000);
    expect(mostInASecond(times(all), 0)).toBeLessThanOrEqual(100);
    expect(all.length).toBeGreaterThan(150);
    await set(world, { everyMs: 200 });
    await world.runtime.advance(20_000);
    const loweredMs = 7_000;
    expect(mostInASecond(times(all), loweredMs)).toBeLessThanOrEqual(101);
    // At most what was reserved ahead, which is less than two seconds.
    expect(mostInASecond(times(all), loweredMs + 2_000)).toBe(5);
    await Promise.all(pacers.map((pacer) => pacer.stop()));
  });

  it("leaves nobody waiting who came while it was next to nothing", async () => {
    const world = pacerWorld({ stored: true, every: 20 });
    const pacers = Array.from({ length: 10 }, () => world.create());
    await set(world, { everyMs: 3_600_000 });
    const seen = pacers.map((pacer) => world.ask(pacer, 5))[0] as string[];
    await world.runtime.advance(600_000);
    expect(seen).toHaveLength(1);
    await set(world, undefined);
    await world.runtime.advance(4_000);
    expect(seen).toHaveLength(50);
    expect(mostInASecond(times(seen), 0)).toBeLessThanOrEqual(50);
  });

  it("tells of another limit, once", async () => {
    const world = pacerWorld({ stored: true, every: 100 });
    const pacer = world.create();
    const seen: unknown[] = [];
    pacer.on("limitChanged", (event) => seen.push(event));
    await pacer.acquire();
    await set(world, { everyMs: 40, burst: 2 });
    await world.runtime.advance(100);
    await pacer.acquire();
    await world.runtime.advance(100);
    await pacer.acquire();
    expect(seen).toEqual([{ from: { everyMs: 100, burst: 1 }, to: { everyMs: 40, burst: 2 } }]);
    expect(pacer.status().limit).toEqual({ everyMs: 40, burst: 2 });
  });

  it("goes on with what it holds while it is cut off, and no longer", async () => {
    const world = linkedPacerWorld({ stored: true, every: 50 });
    Object.assign(world.link, { setLimit: world.store.setLimit?.bind(world.store) });
    const [cut, live] = [world.create(), world.create({ store: world.store })];
    const seen = world.ask(cut, 40, "cut");
    await world.runtime.advance(100);
    world.link.fault = "loseCalls";
    await set(world, { everyMs: 10_000 });
    world.ask(live, 3, "live");
    await world.runtime.advance(40_000);
    const cutOff = seen.filter((entry) => entry.startsWith("cut") && entry.includes("@"));
    expect(Math.max(...times(cutOff))).toBeLessThan(2_000);
    expect(seen.filter((entry) => entry.startsWith("live") && entry.includes("@"))).toHaveLength(3);
  });

  it("update changes the code's value alone", async () => {
    const world = pacerWorld({ stored: true, every: 100 });
    const pacer = world.create();
    await pacer.acquire();
    pacer.update({ every: 5 });
    const next = pacer.acquire();
    await world.runtime.advance(100);
    await next;
    expect(pacer.status()).toMatchObject({ limit: { everyMs: 100 }, terms: "every 5 ms, burst 1" });
    await set(world, undefined);
    await world.runtime.advance(100);
    await pacer.acquire();
    expect(pacer.status().limit.everyMs).toBe(5);
  });

  it("bounds a pacer without it as well, and a mismatch stays one among those", async () => {
    const world = pacerWorld({ every: 10 });
    await set(world, { everyMs: 500 });
    await world.create({ stored: true }).acquire();
    const plain = world.create();
    const seen = world.ask(plain, 2);
    await world.runtime.advance(1_100);
    expect(times(seen)).toEqual([500, 1_000]);
    await expect(world.create({ every: 20 }).acquire()).rejects.toMatchObject({ code: "DT_PACE_MISMATCH" });
  });

  it("is refused where the store keeps none, and with strict", () => {
    const { store, create } = pacerWorld({ every: 10 });
    const bare: PermitLedger = { reserve: store.reserve.bind(store), release: store.release.bind(store) };
    expect(() => create({ stored: true, store: bare })).toThrow("this store keeps no limits");
    expect(() => create({ stored: true, strict: true })).toThrow("leave it out with stored");
  });
});

describe("a grouped pacer with stored limits", () => {
  it("has one in each site's store, and agrees on the sites", async () => {
    const world = groupedPacerWorld({ stored: true });
    const { eu } = world.stores;
    await eu.setLimit?.({ kind: "permits", name: "k" }, { values: { everyMs: 1_000 }, by: "ann" });
    const [here, there] = [world.create("eu", { stealAfter: "1h" }), world.create("us", { rate: 20 })];
    expect(here.terms).toBe("eu: stored; us: stored");
    let [inEu, inUs] = [0, 0];
    for (let i = 0; i < 30; i++) {
      here
        .acquire()
        .then(() => (inEu += 1))
        .catch(() => undefined);
      there
        .acquire()
        .then(() => (inUs += 1))
        .catch(() => undefined);
    }
    await world.runtime.advance(1_450);
    expect([inEu, there.stolen]).toEqual([2, 0]);
    // The first word on the part of us came from a process of eu, with half of ten permits a second.
    expect(inUs).toBe(8);
    expect(here.status()).toMatchObject({ stored: true, limit: { everyMs: 1_000 } });
    await Promise.all([here.stop(), there.stop()]);
  });
});
