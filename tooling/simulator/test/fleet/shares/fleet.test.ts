import { createThrottle, type Throttle } from "@dt/core";
import { describe, expect, it } from "vitest";
import { type Row, runCell } from "../../../src/fleet/shares/cell.ts";

const SECONDS = 20;

function fleet(members: number, demand: string, shares: string, of?: typeof createThrottle): Promise<Row> {
  return runCell({ members, demand, shares, seconds: SECONDS, seed: 1 }, of);
}

/** Throttles that call something else than they are told to. */
function broken(change: (throttle: Throttle) => void): typeof createThrottle {
  return (options) => {
    const throttle = createThrottle(options);
    change(throttle);
    return throttle;
  };
}

describe("a fleet that shares evenly", () => {
  it.each([2, 5, 10])("of %i with one busy member reaches the part of that one", async (members) => {
    const { reached, jain, fullestEpoch } = await fleet(members, "one-busy", "even");
    expect(reached).toBeCloseTo(1 / members, 2);
    expect(jain).toBe(1);
    expect(fullestEpoch).toBeCloseTo(1 / members, 2);
  });

  it("reaches of Zipf's 70 % what stands below the even part", async () => {
    // Of ten with limit 100 the first wants 70 / 2.929 = 23.9, the second 11.95, the others less than ten.
    const { reached } = await fleet(10, "zipf-70", "even");
    expect(reached).toBeCloseTo((20 + 70 - 23.9 - 11.95) / 70, 2);
  });

  it("reaches everything when all want more, in whole turns when tokens are fewer than members", async () => {
    expect((await fleet(10, "saturated", "even")).reached).toBeCloseTo(1, 2);
    const few = await fleet(8, "few-tokens", "even");
    expect(few.reached).toBeCloseTo(1, 2);
    expect(few.fullestEpoch).toBe(1);
  });

  it("syncs about once a second, and changes nobody's share while nobody comes or goes", async () => {
    const { syncsPerMemberSecond, shareChangesPerMemberMinute } = await fleet(10, "poisson-90", "even");
    expect(syncsPerMemberSecond).toBeGreaterThan(0.95);
    expect(syncsPerMemberSecond).toBeLessThan(1.15);
    expect(shareChangesPerMemberMinute).toBe(0);
  });

  it("comes to the same for the same seed, and to something else for another", async () => {
    const first = await fleet(5, "poisson-90", "demand");
    expect(await fleet(5, "poisson-90", "demand")).toEqual(first);
    const cell = { members: 5, demand: "poisson-90", shares: "demand", seconds: SECONDS, seed: 2 };
    expect(await runCell(cell)).not.toMatchObject({ reached: first.reached });
  });
});

describe("a fleet that shares by demand", () => {
  it("lets one busy member use all but what is kept for the idle", async () => {
    expect((await fleet(10, "one-busy", "demand")).reached).toBeCloseTo(0.98, 2);
  });

  it("of two lets the busy one use everything, whoever joined first: the other one keeps no token that it was raised by", async () => {
    const cell = { members: 2, demand: "one-busy", shares: "demand-250", seconds: 5 };
    const rows = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map((seed) => runCell({ ...cell, seed })));
    for (const { reached } of rows) expect(reached).toBeCloseTo(1, 2);
  });

  it.each(["demand", "demand-250"])(
    "(%s) divides by what members want, and never has an epoch above its limit",
    async (shares) => {
      for (const demand of ["zipf-150", "diurnal-60"]) {
        const { reached, jain, fullestEpoch } = await fleet(10, demand, shares);
        expect(reached, demand).toBeGreaterThan(0.96);
        expect(jain, demand).toBeGreaterThan(0.97);
        expect(fullestEpoch, demand).toBeLessThanOrEqual(1);
      }
    },
  );

  it("follows members that are busy in turns: over eight seeds nearly what the oracle grants, and within the limit", async () => {
    const seeds = [1, 2, 3, 4, 5, 6, 7, 8];
    const cell = { members: 10, demand: "on-off-10", shares: "demand", seconds: SECONDS };
    const rows = await Promise.all(seeds.map((seed) => runCell({ ...cell, seed })));
    for (const { fullestEpoch } of rows) expect(fullestEpoch).toBeLessThanOrEqual(1);
    expect(rows.reduce((sum, { reached }) => sum + reached, 0) / seeds.length).toBeGreaterThan(0.97);
  });

  it("syncs four times as often when it is told to", async () => {
    const often = await fleet(5, "saturated", "demand-250");
    const usual = await fleet(5, "saturated", "demand");
    expect(often.syncsPerMemberSecond / usual.syncsPerMemberSecond).toBeGreaterThan(3.5);
  });
});

describe("a fleet with a bug in it is noticed", () => {
  it("when tokens are granted that nobody holds", async () => {
    const generous = broken((throttle) => {
      const real = throttle.acquireGrant.bind(throttle);
      throttle.acquireGrant = (async (...args: Parameters<typeof real>) => {
        const grant = await real(...args);
        return grant && { ...grant, tokens: 2 };
      }) as typeof throttle.acquireGrant;
    });
    const { reached, fullestEpoch } = await fleet(4, "saturated", "even", generous);
    expect(reached).toBeCloseTo(2, 1);
    expect(fullestEpoch).toBe(2);
  });

  it("when one member is not served", async () => {
    let made = 0;
    const unfair = broken((throttle) => {
      if (made++ === 0) throttle.acquireGrant = (() => new Promise(() => {})) as typeof throttle.acquireGrant;
    });
    const { reached, jain } = await fleet(4, "saturated", "even", unfair);
    expect(reached).toBeCloseTo(3 / 4, 2);
    expect(jain).toBeCloseTo(3 / 4, 2);
  });
});
