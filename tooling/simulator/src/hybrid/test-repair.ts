import { describe, expect, it } from "vitest";
import type { Timeline } from "../fleet/engine/timeline.ts";
import type { Random } from "../random.ts";
import type { ServerModel } from "./fleet.ts";
import { Fleet } from "./fleet.ts";

const STALE_MS = 10_000;

type Model<Server> = (timeline: Timeline, random: Random) => Server;

/** What the tests of a store under a living fleet need to know of it. */
export interface RepairedStore<Server extends ServerModel> {
  readonly model: Model<Server>;
  /** What somebody deletes by hand, the ledger first. */
  readonly deletions: readonly [Deletion<Server>, ...Deletion<Server>[]];
}

export type Deletion<Server> = readonly [what: string, remove: (server: Server) => void];

/** A fleet whose members came and went, so that the versions of what is stored are well above 1. */
export async function fleetOf<Server extends ServerModel>(seed: number, model: Model<Server>): Promise<Fleet<Server>> {
  const fleet = new Fleet(seed, { max: 30 }, model);
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

/** What is done to a store by hand, and by `repair`, while a fleet lives on it. */
export function testRepairUnderFleet<Server extends ServerModel>({ model, deletions }: RepairedStore<Server>): void {
  describe("deleted by hand under a living fleet", () => {
    it.each(deletions)("%s: no epoch above max, and they agree again", async (_, remove) => {
      for (let seed = 1; seed <= 8; seed++) {
        const fleet = await fleetOf(seed, model);
        remove(fleet.server);
        fleet.boot("late");
        await fleet.run(3 * STALE_MS);
        expect(fleet.exceeded, `seed ${seed}`).toMatchObject({ epochs: 0 });
        await fleet.run(3 * STALE_MS);
        expect(fleet.exceeded, `seed ${seed}`).toMatchObject({ epochs: 0 });
        expect(fleet.agrees, `seed ${seed}`).toBe(true);
      }
    });

    it("while one is cut off whose stale age is the longest: nobody takes its share before it has ended", async () => {
      const [[, removeLedger]] = deletions;
      for (let seed = 1; seed <= 8; seed++) {
        const fleet = await fleetOf(seed, model);
        fleet.boot("patient", { staleAfterMs: 4 * STALE_MS });
        await fleet.run(2 * STALE_MS);
        expect(fleet.agrees, `seed ${seed}`).toBe(true);
        fleet.cut("patient", 5 * STALE_MS);
        removeLedger(fleet.server);
        await fleet.run(5 * STALE_MS);
        expect(fleet.exceeded, `seed ${seed}`).toMatchObject({ epochs: 0 });
        await fleet.run(5 * STALE_MS);
        expect(fleet.exceeded, `seed ${seed}`).toMatchObject({ epochs: 0 });
        expect(fleet.agrees, `seed ${seed}`).toBe(true);
      }
    });
  });

  describe("a living fleet", () => {
    it("is left alone by a repair: it is sound", async () => {
      const fleet = await fleetOf(1, model);
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
        const fleet = await fleetOf(seed, model);
        const { generation: before } = fleet.status("a");
        // One goes on with what it holds, and one that has held a share until now is gone: both are on record nowhere
        // after the reset.
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
        const fleet = await fleetOf(seed, model);
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
}
