import { describe, expect, it } from "vitest";
import { Holding } from "../../src/consensus/holding.ts";
import type { MemberView } from "../../src/index.ts";

function view(changes: Partial<MemberView>): MemberView {
  const { capacity = 100, members = 2, held = 0 } = changes;
  return {
    status: "disagree",
    generation: 1,
    members,
    reportedMembers: members,
    rank: 0,
    held,
    entitled: Math.min(held, Math.floor(capacity / members)),
    fromEpoch: 1,
    early: 0,
    capacity,
    clockErrorMs: 0,
    storeTimeMs: 0,
    groupAgeMs: 0,
    learning: false,
    resumeLevel: null,
    ...changes,
  };
}

const tokensAt = (holding: Holding, epoch: number, level = 100): number => {
  holding.advance(epoch);
  return holding.shareAt(level, epoch).tokens;
};

describe("what a member holds", () => {
  it("rises only in the epoch it was told, and is reported from the answer on", () => {
    const holding = new Holding();
    holding.accept(view({ held: 30, fromEpoch: 8 }));
    expect(holding.held).toBe(30);
    expect(tokensAt(holding, 7)).toBe(0);
    expect(tokensAt(holding, 8)).toBe(30);
  });

  it("loses no token to rounding below the capacity: whoever holds all of it has the whole level", () => {
    const lost: string[] = [];
    for (let capacity = 1; capacity <= 300; capacity++) {
      const holding = new Holding();
      holding.accept(view({ held: capacity, capacity, members: 1, fromEpoch: 1 }));
      for (let level = 0; level <= capacity; level++)
        if (tokensAt(holding, 1, level) !== level) lost.push(`${tokensAt(holding, 1, level)} of ${level}/${capacity}`);
    }
    expect(lost).toEqual([]);
  });

  it("drops at once with a new generation, without its part of the remainder", () => {
    const holding = new Holding();
    holding.accept(view({ status: "agree", members: 3, rank: 1, held: 34, fromEpoch: 5 }));
    expect([6, 7, 8, 9, 10].map((epoch) => tokensAt(holding, epoch))).toEqual([33, 34, 33, 33, 34]);
    expect(holding.held).toBe(34);
    // Somebody left: its even part would be 50, the old split's remainder is given up all the same.
    holding.accept(view({ generation: 2, members: 2, held: 33, fromEpoch: 20 }));
    expect(tokensAt(holding, 10)).toBe(33);
    expect(holding.held).toBe(33);
    holding.accept(view({ generation: 3, members: 4, held: 33, fromEpoch: 20 }));
    expect(tokensAt(holding, 10)).toBe(25);
    expect(holding.held).toBe(25);
  });

  it("keeps a raise under way through new generations, capped by what each answer allows, and reports it all along", () => {
    const holding = new Holding();
    holding.accept(view({ held: 10, fromEpoch: 2 }));
    holding.accept(view({ held: 20, fromEpoch: 3 }));
    expect([tokensAt(holding, 2), tokensAt(holding, 3)]).toEqual([10, 20]);
    holding.accept(view({ held: 50, fromEpoch: 4 }));
    expect(holding.held).toBe(50);
    // Two more have joined: it is entitled to 25 now. The raise starts when it was to start, not when one answered now
    // would.
    holding.accept(view({ generation: 2, members: 4, held: 50, fromEpoch: 9 }));
    expect(holding.held).toBe(25);
    expect([tokensAt(holding, 3), tokensAt(holding, 4), tokensAt(holding, 9)]).toEqual([20, 25, 25]);
  });

  it("starts a part of a raise an epoch before the rest, and what is still to start keeps its epoch", () => {
    const holding = new Holding();
    holding.accept(view({ members: 1, held: 30, fromEpoch: 5, early: 10 }));
    expect([3, 4, 5].map((epoch) => tokensAt(holding, epoch))).toEqual([0, 10, 30]);
    holding.accept(view({ members: 1, held: 50, fromEpoch: 8, early: 0 }));
    holding.accept(view({ members: 1, held: 60, fromEpoch: 8, early: 4 }));
    expect(holding.held).toBe(60);
    expect([6, 7, 8].map((epoch) => tokensAt(holding, epoch))).toEqual([30, 34, 60]);
  });

  it("starts at once what may start in an epoch that is over, and the even part of the exact split before the split", () => {
    const holding = new Holding();
    holding.accept(view({ members: 1, held: 30, fromEpoch: 2, early: 0 }));
    expect(tokensAt(holding, 9)).toBe(30);
    holding.accept(view({ status: "agree", generation: 2, members: 3, rank: 0, held: 34, fromEpoch: 10, early: 2 }));
    expect([9, 10, 11, 12].map((epoch) => tokensAt(holding, epoch))).toEqual([32, 33, 33, 34]);
  });

  it("starts each of several raises in its own epoch, also when a new generation has capped them to the same", () => {
    const holding = new Holding();
    holding.accept(view({ members: 1, held: 10, fromEpoch: 5 }));
    holding.accept(view({ members: 1, held: 30, fromEpoch: 6 }));
    holding.accept(view({ generation: 2, members: 3, held: 30, fromEpoch: 7 }));
    holding.accept(view({ generation: 3, members: 10, held: 33, fromEpoch: 8 }));
    expect(holding.held).toBe(10);
    expect([4, 5, 6, 7, 8].map((epoch) => tokensAt(holding, epoch))).toEqual([0, 10, 10, 10, 10]);
  });

  it("keeps of the exact split still to start what is certain, without the remainder", () => {
    const holding = new Holding();
    holding.accept(view({ status: "agree", members: 3, rank: 0, held: 34, fromEpoch: 6 }));
    expect(holding.held).toBe(34);
    holding.accept(view({ generation: 2, members: 2, held: 33, fromEpoch: 7 }));
    expect(holding.held).toBe(33);
    expect([5, 6, 7, 8, 9].map((epoch) => tokensAt(holding, epoch))).toEqual([0, 33, 33, 33, 33]);
  });

  it("forgets raises still to start when the store no longer knows it: only what is in use may be claimed", () => {
    const holding = new Holding();
    holding.accept(view({ held: 20, fromEpoch: 3 }));
    expect(tokensAt(holding, 3)).toBe(20);
    holding.accept(view({ held: 50, fromEpoch: 4 }));
    holding.giveUpExtras();
    expect(holding.held).toBe(20);
    expect(tokensAt(holding, 4)).toBe(20);
  });

  it("never uses more than the store has on record, as after a failover that lost the last raise", () => {
    const holding = new Holding();
    holding.accept(view({ held: 50, fromEpoch: 1 }));
    expect(tokensAt(holding, 1)).toBe(50);
    holding.accept(view({ held: 20, fromEpoch: 2 }));
    expect(tokensAt(holding, 1)).toBe(20);
  });

  it("owns its tokens of the agreed split, whatever the level", () => {
    const members = [0, 1, 2].map((rank) => {
      const holding = new Holding();
      holding.accept(view({ status: "agree", members: 3, rank, held: 4, capacity: 10, fromEpoch: 1 }));
      return holding;
    });
    for (let epoch = 1; epoch < 10; epoch++)
      expect(members.reduce((sum, holding) => sum + tokensAt(holding, epoch, 10), 0)).toBe(10);
    expect(members.reduce((sum, holding) => sum + tokensAt(holding, 10, 7.9), 0)).toBe(7);
    expect(members.reduce((sum, holding) => sum + tokensAt(holding, 10, 5_000), 0)).toBe(10);
  });

  it("goes by what it is entitled to, not by what the capacity and the members would make of it", () => {
    const holding = new Holding();
    holding.accept(view({ members: 5, held: 80, entitled: 70, fromEpoch: 3 }));
    expect([holding.held, tokensAt(holding, 2), tokensAt(holding, 3)]).toEqual([70, 0, 70]);
    holding.accept(view({ generation: 2, members: 5, held: 80, entitled: 5, fromEpoch: 9 }));
    expect([holding.held, tokensAt(holding, 3), tokensAt(holding, 9)]).toEqual([5, 5, 5]);
  });

  it("never uses a token of the exact split that the store has not on record", () => {
    const holding = new Holding();
    holding.accept(view({ status: "agree", members: 3, rank: 0, held: 3, capacity: 10 }));
    const seen = Array.from({ length: 9 }, (_, epoch) => tokensAt(holding, epoch + 1, 10));
    expect([holding.held, Math.max(...seen)]).toEqual([3, 3]);
  });

  it("without agreement grants floor(level * held / capacity)", () => {
    const holding = new Holding();
    holding.accept(view({ held: 33, fromEpoch: 1 }));
    expect(tokensAt(holding, 1, 100)).toBe(33);
    expect(tokensAt(holding, 1, 10)).toBe(3);
    expect(tokensAt(holding, 1, 2)).toBe(0);
  });

  it("is nothing once cleared", () => {
    const holding = new Holding();
    holding.accept(view({ held: 33, fromEpoch: 1 }));
    holding.clear();
    expect([holding.held, tokensAt(holding, 1)]).toEqual([0, 0]);
  });
});

describe("turns where a low level leaves less than a token of what is held", () => {
  const demand = { waterLevel: 20, reserve: 0, extra: 0, odd: false, tight: true, hungry: false };

  it.each([
    [100, 5, 2],
    [100, 4, 1],
    [1_000, 10, 5],
    [60, 3, 1],
    [1_000, 7, 3],
  ])("come one after the other: of %i tokens for %i members, about %i in each epoch", (capacity, count, level) => {
    const held = Math.floor(capacity / count);
    const members = Array.from({ length: count }, (_, rank) => {
      const holding = new Holding();
      holding.accept(view({ capacity, members: count, rank, held, entitled: held, demand }));
      return holding;
    });
    const perMember = members.map(() => 0);
    // A whole number of times what the epochs are counted to.
    for (let epoch = capacity; epoch < 2 * capacity; epoch++) {
      const turns = members.map((holding) => tokensAt(holding, epoch, level));
      for (const [rank, tokens] of turns.entries()) perMember[rank] = (perMember[rank] as number) + tokens;
      const together = turns.reduce((sum, tokens) => sum + tokens, 0);
      expect(Math.abs(together - (count * held * level) / capacity), `epoch ${epoch}: ${turns}`).toBeLessThan(1);
    }
    for (const tokens of perMember) expect(Math.abs(tokens - held * level)).toBeLessThanOrEqual(1);
  });
});
