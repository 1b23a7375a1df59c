import type { BucketAnswer } from "@dt/core";
import { describe, expect, it } from "vitest";
import { Hand } from "../src/hand.ts";

const HOLD_MS = 2_000;

/** An answer that grants units which are due from some time on, one each 100 ms, by a clock that is 50 s ahead. */
function granting(granted: number, dueInMs: number, inHand = granted): BucketAnswer {
  return {
    ...{ granted, firstMs: 50_000 + dueInMs, waitMs: 0, everyMs: 100, remaining: 0, resetMs: 0, inHand, inFlight: 0 },
    ...{ lost: [], hits: 0, hitsResetMs: 0, storeTimeMs: 50_000 },
  };
}

function receive(hand: Hand, answer: BucketAnswer, sentMs: number, receivedMs: number): void {
  const hold = hand.report(sentMs, HOLD_MS);
  hand.receive({ answer, sentMs, receivedMs }, hold);
}

describe("what is in hand", () => {
  it("is due by the time at which the answer came, and void by that at which the request went", () => {
    const hand = new Hand("a");
    receive(hand, granting(3, 0), 0, 300);
    expect([300, 399, 400, 500, 1_999].map((ms) => hand.ready(ms))).toEqual([1, 1, 2, 3, 3]);
    // The last unit is due 200 ms after the request at the earliest, and may be spent for 2 s.
    expect(hand.ready(2_199)).toBe(3);
    expect(hand.ready(2_200)).toBe(0);
    expect(hand.untilMs).toBe(0);
  });

  it("tells when so many units are ready", () => {
    const hand = new Hand("a");
    receive(hand, granting(2, 100), 0, 0);
    expect([1, 2, 3].map((count) => hand.waitMs(count, 50))).toEqual([50, 150, undefined]);
  });

  it("is reported as spent, or kept, and the latest units go back first", () => {
    const hand = new Hand("a");
    receive(hand, granting(5, -200), 0, 0);
    hand.take(1).settle(true);
    hand.take(1).settle(false);
    expect(hand.report(0, HOLD_MS)).toMatchObject({ seq: 2, spent: 1, keep: 4 });
    expect(hand.report(0, HOLD_MS, 1)).toMatchObject({ seq: 3, spent: 1, keep: 1 });
    expect(hand.ready(0)).toBe(1);
  });

  it("keeps the units of calls that wait for something else, until they are void", () => {
    const hand = new Hand("a");
    receive(hand, granting(1, 0), 0, 0);
    const { isFresh, settle } = hand.take(1);
    expect(hand.report(0, HOLD_MS, 0).keep).toBe(1);
    expect([isFresh(1_999), isFresh(2_000)]).toEqual([true, false]);
    hand.ready(2_000);
    settle(true);
    expect(hand.report(2_000, HOLD_MS)).toMatchObject({ spent: 0, keep: 0 });
  });

  it("is no more than the store knows of: it was reset, or lost its data", () => {
    const hand = new Hand("a");
    receive(hand, granting(4, -400), 0, 0);
    receive(hand, granting(2, -200, 2), 10, 10);
    expect(hand.ready(10)).toBe(2);
  });
});
