import { fleetOf, testRepairUnderFleet } from "@dt-tooling/simulator/hybrid";
import { describe, expect, it } from "vitest";
import { ModelEtcd } from "./model-etcd.ts";

const STALE_MS = 10_000;
/** No level was to be resumed. */
const LEFT = ["group", "head"];

const model = (...world: ConstructorParameters<typeof ModelEtcd>): ModelEtcd => new ModelEtcd(...world);

function keys(what: string, pattern: RegExp): readonly [string, (server: ModelEtcd) => void] {
  return [what, (server) => server.remove((key) => pattern.test(key))];
}

testRepairUnderFleet({
  model,
  deletions: [
    keys("the group", /\/group$/),
    keys("the head", /\/head$/),
    keys("group and head", /\/(group|head)$/),
    keys("members", /\/member\//),
    keys("some members", /\/member\/[0-h]/),
    keys("ranks", /\/rank\//),
    keys("holders", /\/holder\//),
  ],
});

describe("a group that everybody left", () => {
  it("keeps two keys, and a third for levels to be resumed; processes that come once those are deleted begin anew", async () => {
    for (let seed = 1; seed <= 8; seed++) {
      const fleet = await fleetOf(seed, model);
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
