import { expect, it } from "vitest";
import { runCell } from "../../../src/fleet/shares/cell.ts";

const SEEDS = [1, 2, 3];

/** What a fleet reaches in a minute, in the mean of the seeds. */
async function reached(members: number, demand: string, shares: string): Promise<number> {
  const rows = await Promise.all(SEEDS.map((seed) => runCell({ members, demand, shares, seconds: 60, seed })));
  expect(Math.max(...rows.map(({ fullestEpoch }) => fullestEpoch))).toBeLessThanOrEqual(1);
  return rows.reduce((sum, row) => sum + row.reached, 0) / SEEDS.length;
}

it.each([
  [2, "on-off-2-nobody-waits"],
  [10, "on-off-2-nobody-waits"],
  [2, "poisson-90-nobody-waits"],
  [10, "poisson-90-nobody-waits"],
])("by demand %i members with %s reach at most 1 %% less than evenly", async (members, demand) => {
  const [even, byDemand] = [await reached(members, demand, "even"), await reached(members, demand, "demand")];
  expect(byDemand).toBeGreaterThan(0.99 * even);
});

it.each([
  [2, 0.86],
  [10, 0.82],
])(
  "by demand %i members whose bursts are long enough to follow hold nothing for the next one",
  async (members, least) => {
    expect(await reached(members, "on-off-10-nobody-waits", "demand")).toBeGreaterThan(least);
  },
);
