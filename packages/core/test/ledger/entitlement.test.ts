import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newGroup } from "../../src/ledger/aggregates.ts";
import { entitlementOf } from "../../src/ledger/entitlement.ts";
import type { GroupRow } from "../../src/ledger/table.ts";
import { fairOf } from "../../src/ledger/water-level.ts";

const tokens = fc.integer({ min: 1, max: 100_000 });
const members = fc.integer({ min: 1, max: 2_000 });

function group(changes: Partial<GroupRow>): GroupRow {
  const registration = {
    ...{ id: "a", incarnation: "a", seq: 1, rejoin: false, claim: 0, max: 10, intervalMs: 1_000, staleAfterMs: 8_000 },
    ...{ learningMs: 0, level: null, resumeWithinMs: 0, observedMs: 0 },
  };
  return { ...newGroup(registration, 0, 0), ...changes };
}

describe("what the ledger divides", () => {
  it("is never more than the capacity for all together, and all of it with the remainder", () => {
    fc.assert(
      fc.property(tokens, members, (capacity, memberCount) => {
        const { fair, most } = fairOf({ capacity, memberCount });
        expect(fair * memberCount).toBeLessThanOrEqual(capacity);
        expect(most * memberCount).toBeGreaterThanOrEqual(capacity);
        expect(most - fair).toBe(capacity % memberCount === 0 ? 0 : 1);
      }),
    );
  });

  it("entitles a member to what it holds, and to no more than its even part", () => {
    const row = group({ capacity: 100, memberCount: 3 });
    expect(
      [0, 20, 33, 34, 100].map((held) => entitlementOf(row, { held, want: null, odd: false, restUntilMs: 0 }).entitled),
    ).toEqual([0, 20, 33, 33, 33]);
  });

  it.each([
    { lastMs: 41_999, clockErrorMs: 0, aheadUntilMs: 0, intervalMs: 1_000, fromEpoch: 42 },
    { lastMs: 42_000, clockErrorMs: 0, aheadUntilMs: 0, intervalMs: 1_000, fromEpoch: 43 },
    { lastMs: 41_800, clockErrorMs: 250, aheadUntilMs: 0, intervalMs: 1_000, fromEpoch: 43 },
    // A member that has just gone was ahead by more than those that are left.
    { lastMs: 41_800, clockErrorMs: 250, aheadUntilMs: 44_100, intervalMs: 1_000, fromEpoch: 45 },
    { lastMs: 41_800, clockErrorMs: 250, aheadUntilMs: 0, intervalMs: 500, fromEpoch: 85 },
  ])(
    "may be used from epoch $fromEpoch, where nothing is known of its use, at $lastMs, $clockErrorMs ms off, with an interval of $intervalMs",
    (given) => {
      const { fromEpoch, ...changes } = given;
      expect(
        entitlementOf(group({ capacity: 10, memberCount: 1, freedEpoch: null, ...changes }), {
          held: 10,
          want: null,
          odd: false,
          restUntilMs: 0,
        }).fromEpoch,
      ).toBe(fromEpoch);
    },
  );
});
