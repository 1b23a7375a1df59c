import { Fleet } from "@dt-tooling/simulator/hybrid";
import { Random } from "@dt-tooling/simulator/random";
import { expect, it } from "vitest";
import { groupKeys } from "../../src/keys.ts";
import { decodeStoredGroup } from "../../src/stored.ts";
import { ModelEtcd } from "./model-etcd.ts";

/** The lease of an empty group lasts for a stale age and a second. */
const STALE_MS = 10_000;
const keys = groupKeys("dt", "g");
const IDS = ["a", "b", "c"];

it("processes that leave together and come back when the group's keys disappear take no more than max in any epoch, and agree", async () => {
  let [expired, stayed] = [0, 0];
  for (let seed = 1; seed <= 6; seed++) {
    const random = new Random(seed, "vacancy");
    const fleet = new Fleet(seed, { max: 30 }, (timeline, dice) => new ModelEtcd(timeline, dice, 0));
    const { server, book } = fleet;
    server.onEnd = (ended) => {
      const value = ended.get(keys.group);
      // A member's sign of life.
      if (value === undefined && !ended.has(keys.head) && !ended.has(keys.levels)) return;
      expect(decodeStoredGroup(keys.group, value as string).row.memberCount).toBe(0);
      expect(server.entries.size).toBe(0);
      expired += 1;
      // Group time begins anew, and epochs may bear numbers that were there before.
      book.epochs.clear();
    };
    let before = expired;
    for (let round = 0; round < 8; round++) {
      for (const id of IDS) {
        fleet.boot(id);
        await fleet.run(random.between(0, 60));
      }
      await fleet.run(2 * STALE_MS);
      expect(fleet.exceeded, `seed ${seed}, round ${round}`).toMatchObject({ epochs: 0 });
      expect(fleet.agrees, `seed ${seed}, round ${round}`).toBe(true);
      if (round > 0 && expired === before) stayed += 1;
      before = expired;
      for (const id of fleet.ids) fleet.stop(id);
      // The keys disappear 11 to 11.6 s after the last one left.
      await fleet.run(random.between(STALE_MS + 900, STALE_MS + 1_800));
    }
  }
  // Both happened.
  expect(expired).toBeGreaterThan(6);
  expect(stayed).toBeGreaterThan(6);
});
