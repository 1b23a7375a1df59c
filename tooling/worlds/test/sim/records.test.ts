import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { PROFILES } from "../../src/sim/plan/plan.ts";
import { recordedParts } from "../../src/sim/records/pages.ts";
import { readRecord } from "../../src/sim/records/record.ts";
import type { Distributions } from "../../src/sim/scale/distributions.ts";
import type { ScaleReport } from "../../src/sim/scale/run-scale.ts";
import type { Summary } from "../../src/sim/soak/summary.ts";

const soaked = (name: string): Summary => readRecord<Summary>(`soak-${name}`).result;

/** Soaks of groups that share by demand, and how many seeds they are at least. */
const BY_DEMAND = { "atomic-demand": 100_000, "atomic-mixed": 10_000, "storm-demand": 3_000, "storm-mixed": 3_000 };

describe("the long runs that are on record", () => {
  it("are what the documentation shows (npm run -s soak -- --pages)", () => {
    for (const { stands, must } of recordedParts()) expect(stands).toBe(must);
  });

  it("ran sources that are in a commit", () => {
    const names = [...PROFILES.map((profile) => `soak-${profile}`), "scale", "distributions"];
    for (const name of names)
      expect(readRecord(name), name).toMatchObject({
        modified: false,
        commit: expect.stringMatching(/^[0-9a-f]{40}$/),
      });
  });

  it("are 100,000 seeds of everything in the promise, and no epoch above max", () => {
    expect(soaked("atomic").seeds).toBeGreaterThanOrEqual(100_000);
    for (const profile of ["atomic", "storm", "abuse-of-the-prototype"])
      expect(soaked(profile)).toMatchObject({ worstOvershoot: 1, seedsAboveMax: 0, epochsAboveMax: 0 });
  });

  it("are as many of shares by demand, and no epoch above max", () => {
    for (const [name, seeds] of Object.entries(BY_DEMAND)) {
      expect(soaked(name).seeds, name).toBeGreaterThanOrEqual(seeds);
      expect(soaked(name), name).toMatchObject({ worstOvershoot: 1, seedsAboveMax: 0, epochsAboveMax: 0 });
      expect(readRecord(`soak-${name}`), name).toMatchObject({ modified: false });
    }
  });

  it("hide no seed that broke another rule: it stands in the guarantees", () => {
    const pages = ["docs/guarantees.md"].map((page) =>
      readFileSync(new URL(`../../../../${page}`, import.meta.url), "utf8"),
    );
    for (const name of [...PROFILES, ...Object.keys(BY_DEMAND)])
      for (const seed of soaked(name).failingSeeds) for (const page of pages) expect(page).toContain(`seed ${seed}`);
  });

  it("are thousands of seeds in which more than max is granted now and then, and nothing else goes wrong", () => {
    for (const profile of ["failover-loss", "hold-partition", "floor-partition"]) {
      const { seeds, violations, seedsAboveMax } = soaked(profile);
      expect(seeds).toBeGreaterThanOrEqual(5_000);
      expect(violations).toBe(0);
      expect(seedsAboveMax).toBeGreaterThan(0);
    }
  });

  it("grant more under the prototype's abuse than the prototype did, and than waiting for agreement does", () => {
    const { medianUtilisation } = soaked("abuse-of-the-prototype");
    expect(medianUtilisation).toBeGreaterThan(0.86);
    expect(medianUtilisation).toBeGreaterThan(soaked("abuse-of-the-prototype-waiting-for-agreement").medianUtilisation);
  });

  it("take thousands of processors through a join storm, a rolling restart and the loss of half", () => {
    const { size, phases, violations } = readRecord<ScaleReport>("scale").result;
    expect(size).toBeGreaterThanOrEqual(10_000);
    expect(violations).toEqual([]);
    expect(phases.map(({ members }) => members)).toEqual([10, size, size, size / 2]);
    for (const { worstEpoch, max } of phases) expect(worstEpoch).toBeLessThanOrEqual(max);
  });

  it("measure how soon a join and a crash take effect over at least 200 runs", () => {
    const { joinToFirstToken, joinToFullShare, crashToReclaimedShare } =
      readRecord<Distributions>("distributions").result;
    for (const { runs } of [joinToFirstToken, joinToFullShare, crashToReclaimedShare])
      expect(runs).toBeGreaterThanOrEqual(200);
  });
});
