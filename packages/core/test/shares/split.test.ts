import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { agreedShare } from "../../src/shares/budget.ts";
import { firstToken, largestShare, ownedTokens } from "../../src/shares/split.ts";

const pool = fc.integer({ min: 1, max: 400 });
const tokens = fc.integer({ min: 0, max: 5_000 });
const epochs = fc.integer({ min: 0, max: 2_000_000_000 });

describe("the split of an epoch's tokens among members that agree", () => {
  it("gives away exactly the level: every token has one owner", () => {
    fc.assert(
      fc.property(pool, tokens, epochs, (poolSize, level, epoch) => {
        let sum = 0;
        for (let rank = 0; rank < poolSize; rank++) sum += ownedTokens(level, rank, epoch, poolSize);
        expect(sum).toBe(level);
      }),
    );
  });

  it("counts for each rank the tokens k with (k + epoch) mod n = rank", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 0, max: 60 }),
        epochs,
        (poolSize, level, epoch) => {
          for (let rank = 0; rank < poolSize; rank++) {
            const owned = Array.from({ length: level }, (_, k) => k).filter((k) => (k + epoch) % poolSize === rank);
            expect(ownedTokens(level, rank, epoch, poolSize)).toBe(owned.length);
            if (owned.length > 0) expect(firstToken(rank, epoch, poolSize)).toBe(owned[0]);
          }
        },
      ),
    );
  });

  it("never gives two members the same token, even while their levels differ", () => {
    fc.assert(
      fc.property(pool, epochs, fc.array(tokens, { minLength: 1, maxLength: 50 }), (poolSize, epoch, levels) => {
        const max = Math.max(...levels);
        const sum = Array.from({ length: poolSize }, (_, rank) =>
          ownedTokens(levels[rank % levels.length] as number, rank, epoch, poolSize),
        );
        expect(sum.reduce((a, b) => a + b, 0)).toBeLessThanOrEqual(max);
      }),
    );
  });

  it("stays within what the ledger records: never more than an even part and one", () => {
    fc.assert(
      fc.property(pool, tokens, epochs, fc.nat(399), (poolSize, level, epoch, rank) => {
        expect(ownedTokens(level, rank % poolSize, epoch, poolSize)).toBeLessThanOrEqual(largestShare(level, poolSize));
      }),
    );
  });

  it("gives everyone a turn when the limit is smaller than the pool", () => {
    const turns = Array.from({ length: 7 }, (_, rank) => {
      let owned = 0;
      for (let epoch = 1_000; epoch < 1_007; epoch++) owned += ownedTokens(3, rank, epoch, 7);
      return owned;
    });
    expect(turns).toEqual([3, 3, 3, 3, 3, 3, 3]);
  });

  it("spreads the tokens of all members evenly over the interval", () => {
    const level = 10;
    const instants: number[] = [];
    for (let rank = 0; rank < 3; rank++) {
      const share = agreedShare(level, rank, 77, 3);
      for (let i = 0; i < share.tokens; i++) instants.push((share.first + i * share.step) / share.length);
    }
    expect(instants.sort((a, b) => a - b)).toEqual([0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]);
  });
});
