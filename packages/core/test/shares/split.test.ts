import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { splitShare } from "../../src/shares/allotment.ts";
import { firstToken, ownedTokens } from "../../src/shares/split.ts";
import { strideOf } from "../../src/shares/stride.ts";

/** Any stride that is coprime to the number of members, as every real one is. */
function strideFrom(any: number, memberCount: number): number {
  for (let stride = 1 + (any % memberCount); ; stride++)
    if (divisor(stride, memberCount) === 1) return stride % memberCount;
}

function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b);
}

const strides = fc.nat(10_000);
const pool = fc.integer({ min: 1, max: 400 });
const tokens = fc.integer({ min: 0, max: 5_000 });
const epochs = fc.integer({ min: 0, max: 2_000_000_000 });

describe("the split of an epoch's tokens among members that agree", () => {
  it("gives away exactly the level: every token has one owner", () => {
    fc.assert(
      fc.property(pool, tokens, epochs, strides, (memberCount, level, epoch, any) => {
        const stride = strideFrom(any, memberCount);
        let sum = 0;
        for (let rank = 0; rank < memberCount; rank++) sum += ownedTokens(level, rank, epoch, memberCount, stride);
        expect(sum).toBe(level);
      }),
    );
  });

  it("counts for each rank the tokens k with (k + stride * epoch) mod n = rank", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 0, max: 60 }),
        fc.integer({ min: 0, max: 2_000_000_000 }),
        strides,
        (memberCount, level, epoch, any) => {
          const stride = strideFrom(any, memberCount);
          for (let rank = 0; rank < memberCount; rank++) {
            const owned = Array.from({ length: level }, (_, k) => k).filter(
              (k) => (k + stride * epoch) % memberCount === rank,
            );
            expect(ownedTokens(level, rank, epoch, memberCount, stride)).toBe(owned.length);
            if (owned.length > 0) expect(firstToken(rank, epoch, memberCount, stride)).toBe(owned[0]);
          }
        },
      ),
    );
  });

  it("never gives two members the same token, even while their levels differ", () => {
    fc.assert(
      fc.property(pool, epochs, fc.array(tokens, { minLength: 1, maxLength: 50 }), (memberCount, epoch, levels) => {
        const max = Math.max(...levels);
        const sum = Array.from({ length: memberCount }, (_, rank) =>
          ownedTokens(levels[rank % levels.length] as number, rank, epoch, memberCount, strideOf(max, memberCount)),
        );
        expect(sum.reduce((a, b) => a + b, 0)).toBeLessThanOrEqual(max);
      }),
    );
  });

  it("stays within what the ledger records: never more than an even part and one", () => {
    fc.assert(
      fc.property(pool, tokens, epochs, fc.nat(399), (memberCount, level, epoch, rank) => {
        expect(
          ownedTokens(level, rank % memberCount, epoch, memberCount, strideOf(level, memberCount)),
        ).toBeLessThanOrEqual(Math.ceil(level / memberCount));
      }),
    );
  });

  it("gives everyone a turn when the limit is smaller than the group", () => {
    const turns = Array.from({ length: 7 }, (_, rank) => {
      let owned = 0;
      for (let epoch = 1_000; epoch < 1_007; epoch++) owned += ownedTokens(3, rank, epoch, 7, strideOf(3, 7));
      return owned;
    });
    expect(turns).toEqual([3, 3, 3, 3, 3, 3, 3]);
  });

  it("spreads the tokens of all members evenly over the interval", () => {
    const level = 10;
    const instants: number[] = [];
    for (let rank = 0; rank < 3; rank++) {
      const share = splitShare(level, rank, 77, 3, 2);
      for (let i = 0; i < share.tokens; i++) instants.push((share.first + i * share.step) / share.length);
    }
    expect(instants.sort((a, b) => a - b)).toEqual([0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]);
  });
});

describe("turns at the remainder", () => {
  /**
   * The most epochs from one turn of a rank to its next, where a turn is a token beyond the even part. All ranks go
   * through the same, one after the other.
   */
  function longestWait(capacity: number, memberCount: number, level = capacity): number {
    const stride = strideOf(capacity, memberCount);
    const even = Math.floor(level / memberCount);
    let longest = 0;
    let last: number | undefined;
    for (let epoch = 0; epoch <= 2 * memberCount; epoch++) {
      if (ownedTokens(level, 0, epoch, memberCount, stride) === even) continue;
      if (last !== undefined) longest = Math.max(longest, epoch - last);
      last = epoch;
    }
    return longest;
  }

  it("come to everybody within 2 n / max epochs, for every max below n up to 150 members", () => {
    const late: string[] = [];
    for (let memberCount = 2; memberCount <= 150; memberCount++)
      for (let max = 1; max < memberCount; max++) {
        const wait = longestWait(max, memberCount);
        if (wait * max > 2 * memberCount || wait === 0)
          late.push(`${max} tokens, ${memberCount} members: ${wait} epochs`);
      }
    expect(late).toEqual([]);
  });

  it("come as soon at the remainder of a larger max, and in larger pools", () => {
    const late: string[] = [];
    for (const memberCount of [40, 210, 997, 2_310])
      for (let remainder = 1; remainder < memberCount; remainder += 1 + Math.floor(memberCount / 100)) {
        const wait = longestWait(3 * memberCount + remainder, memberCount);
        if (wait * remainder > 2 * memberCount || wait === 0)
          late.push(`${remainder} of ${memberCount}: ${wait} epochs`);
      }
    expect(late).toEqual([]);
  });

  it("come to everybody at every level of a ramp, too", () => {
    for (let level = 1; level < 60; level++) expect(longestWait(30, 60, level)).toBeGreaterThan(0);
  });

  it("are found from capacity and member count alone, coprime to the member count", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000_000 }),
        fc.integer({ min: 1, max: 5_000 }),
        (capacity, memberCount) => {
          const stride = strideOf(capacity, memberCount);
          expect(divisor(stride, memberCount)).toBe(1);
          expect(strideOf(capacity, memberCount)).toBe(stride);
        },
      ),
    );
  });
});
