import { describe, expect, it } from "vitest";
import type { MemberView } from "../../src/index.ts";
import { SlotShare } from "../../src/testing/index.ts";

const VALID_MS = 5_000;

function share(hasQueue: boolean): SlotShare {
  return new SlotShare({ max: 2, hasQueue, head: () => 0, isPushed: () => hasQueue, turnMs: () => 100 });
}

/** An answer that says that so much is held. */
function answer(held: number, { learning = false, over = false } = {}): MemberView {
  return {
    ...{
      status: "disagree",
      generation: 1,
      members: 2,
      reportedMembers: 2,
      rank: 0,
      held,
      entitled: held,
      fromEpoch: 0,
    },
    ...{ early: 0, capacity: 2, clockErrorMs: 0, storeTimeMs: 0, groupAgeMs: 0, learning, resumeLevel: null },
    demand: {
      ...{ waterLevel: 1, reserve: 0, extra: 0, odd: false, tight: true, hungry: false },
      slots: { over, wanted: false, place: 0, turns: 0 },
    },
  };
}

/** A request of this share, and its answer. */
function exchange(share: SlotShare, nowMs: number, isRegistration: boolean, held: (said: number) => number, told = {}) {
  const said = isRegistration ? share.claim(nowMs) : share.report(nowMs);
  share.validUntilMs = nowMs + VALID_MS;
  share.accept(answer(held(said), told), { seq: 1, held: said, max: 2, isRegistration }, nowMs);
}

/** A share with a call that runs, whose validity has ended. */
function ended(hasQueue: boolean): SlotShare {
  const found = share(hasQueue);
  exchange(found, 0, true, () => 1);
  found.inUse = 1;
  return found;
}

describe("slots claimed of a share that had ended", () => {
  it("are in use no more in a group that learns, which does not know yet who was given them", () => {
    const found = ended(true);
    exchange(found, 10_000, true, (said) => said, { learning: true });
    found.inUse = 0;
    expect([found.held, found.usable(10_000)]).toEqual([1, 0]);
    exchange(found, 11_000, false, () => 1, { learning: true });
    expect(found.usable(11_000)).toBe(0);
    exchange(found, 12_000, false, () => 1);
    expect(found.usable(12_000)).toBe(1);
  });

  it("are in use no more on a store without a queue, until it raises: it does not say that more is held", () => {
    const found = ended(false);
    exchange(found, 10_000, true, (said) => said);
    found.inUse = 0;
    expect(found.usable(10_000)).toBe(0);
    exchange(found, 11_000, false, (said) => said);
    expect(found.usable(11_000)).toBe(0);
    exchange(found, 12_000, false, (said) => said + 1);
    expect(found.usable(12_000)).toBe(1);
  });

  it("stay out of use after another loss of data, where more was held than there is", () => {
    const found = ended(true);
    exchange(found, 10_000, true, (said) => said, { over: true });
    exchange(found, 11_000, true, (said) => said, { learning: true });
    found.inUse = 0;
    expect(found.usable(11_000)).toBe(0);
  });

  it("are in use where the share was valid: only what is on record can have been given to others", () => {
    const found = ended(true);
    exchange(found, 1_000, true, (said) => said, { learning: true });
    expect(found.usable(1_000)).toBe(1);
  });
});
