import { Fleet } from "@dt-tooling/worlds/hybrid";
import { describe, expect, it } from "vitest";
import { ModelEtcd } from "./model-etcd.ts";

const STALE_MS = 10_000;
/** No level was to be resumed. */
const LEFT = ["group", "head"];

async function fleetOf(seed: number): Promise<Fleet<ModelEtcd>> {
  const fleet = new Fleet(seed, { max: 30 }, (timeline, random) => new ModelEtcd(timeline, random));
  for (const id of ["a", "b", "c"]) fleet.boot(id);
  await fleet.run(3_000);
  for (let i = 0; i < 6; i++) {
    fleet.boot(`guest${i}`);
    await fleet.run(2_500);
    fleet.stop(`guest${i}`);
    await fleet.run(1_500);
  }
  await fleet.run(4_000);
  expect(fleet.agrees).toBe(true);
  return fleet;
}

describe("keys deleted by hand under a living fleet", () => {
  it.each<[what: string, pattern: RegExp]>([
    ["the group", /\/group$/],
    ["the head", /\/head$/],
    ["group and head", /\/(group|head)$/],
    ["members", /\/member\//],
    ["some members", /\/member\/[0-h]/],
    ["ranks", /\/rank\//],
    ["holders", /\/holder\//],
  ])("%s: no epoch above max, and they agree again", async (_, pattern) => {
    for (let seed = 1; seed <= 8; seed++) {
      const fleet = await fleetOf(seed);
      fleet.server.remove((key) => pattern.test(key));
      fleet.boot("late");
      await fleet.run(3 * STALE_MS);
      expect(fleet.exceeded, `seed ${seed}`).toMatchObject({ epochs: 0 });
      await fleet.run(3 * STALE_MS);
      expect(fleet.exceeded, `seed ${seed}`).toMatchObject({ epochs: 0 });
      expect(fleet.agrees, `seed ${seed}`).toBe(true);
    }
  });
});

describe("a living fleet", () => {
  it("is left alone by a repair: it is sound", async () => {
    const fleet = await fleetOf(1);
    const report = fleet.storeOf("a").repair?.("g");
    await fleet.run(2_000);
    expect(await report).toEqual({ found: [], members: 3, reset: false });
    expect(fleet.agrees).toBe(true);
    await fleet.run(STALE_MS);
    expect(fleet.exceeded).toMatchObject({ epochs: 0 });
    expect(fleet.agrees).toBe(true);
  });

  it("that is reset, while one joins, one is cut off and one crashes, takes no more than max in any epoch, and agrees again", async () => {
    for (let seed = 1; seed <= 8; seed++) {
      const fleet = await fleetOf(seed);
      const { generation: before } = fleet.status("a");
      // One goes on with what it holds, and one that has held a share until now is gone: both are on record nowhere after the reset.
      fleet.cut("b", 5_000);
      fleet.crash("c");
      const report = fleet.storeOf("a").repair?.("g", { reset: true });
      fleet.boot("late");
      await fleet.run(3_000);
      expect(await report, `seed ${seed}`).toMatchObject({ found: [], reset: true });
      await fleet.run(3 * STALE_MS);
      expect(fleet.exceeded, `seed ${seed}`).toMatchObject({ epochs: 0 });
      await fleet.run(3 * STALE_MS);
      expect(fleet.exceeded, `seed ${seed}`).toMatchObject({ epochs: 0 });
      expect(fleet.agrees, `seed ${seed}`).toBe(true);
      expect(fleet.status("late").generation).toBeGreaterThan(before ?? 0);
    }
  });

  it("that is reset again and again takes no more than max in any epoch", async () => {
    for (let seed = 1; seed <= 4; seed++) {
      const fleet = await fleetOf(seed);
      for (const id of ["a", "b", "c", "a"]) {
        const report = fleet.storeOf(id).repair?.("g", { reset: true });
        await fleet.run(4_000);
        expect(await report, `seed ${seed}`).toMatchObject({ reset: true });
      }
      fleet.boot("late");
      await fleet.run(6 * STALE_MS);
      expect(fleet.exceeded, `seed ${seed}`).toMatchObject({ epochs: 0 });
      expect(fleet.agrees, `seed ${seed}`).toBe(true);
    }
  });
});

describe("a group that everybody left", () => {
  it("keeps two keys, and a third for levels to be resumed; processes that come once those are deleted begin anew", async () => {
    for (let seed = 1; seed <= 8; seed++) {
      const fleet = await fleetOf(seed);
      for (const id of fleet.ids) fleet.stop(id);
      await fleet.run(STALE_MS);
      expect([...fleet.server.entries.keys()].map((key) => key.split("/").at(-1)).sort()).toEqual(LEFT);
      fleet.server.remove(() => true);
      // Group time begins anew, and epochs may bear numbers that were there before.
      fleet.book.epochs.clear();
      for (const id of ["d", "e", "a"]) fleet.boot(id);
      await fleet.run(3 * STALE_MS);
      expect(fleet.exceeded, `seed ${seed}`).toMatchObject({ epochs: 0 });
      expect(fleet.agrees, `seed ${seed}`).toBe(true);
    }
  });
});
