import { runWorld, settingsOf } from "@dt-tooling/hybrid-world";
import { describe, expect, it } from "vitest";
import { ModelEtcd } from "./model-etcd.ts";

/** More with DT_SEEDS; a single one with DT_SEED. */
const { DT_SEEDS: seeds = "40", DT_SEED: seed } = process.env;
const chosen = seed === undefined ? Array.from({ length: Number(seeds) }, (_, i) => i + 1) : [Number(seed)];

describe("processes without a common clock, on a model of etcd", () => {
  it("grant no more than max in any epoch, whatever becomes of them, and agree when it is over", async () => {
    let utilisation = 0;
    let worstLagMs = 0;
    for (const number of chosen) {
      const result = await runWorld(number, settingsOf(number), (timeline, random) => new ModelEtcd(timeline, random));
      expect(result.book.violations.slice(0, 5), `seed ${number}`).toEqual([]);
      utilisation += result.utilisation / chosen.length;
      worstLagMs = Math.max(worstLagMs, result.book.worstLagMs);
    }
    console.log({ utilisation, worstLagMs });
    expect(utilisation).toBeGreaterThan(0.5);
  });
});
