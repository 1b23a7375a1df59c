import { expect, it } from "vitest";
import type { MemberView } from "../../src/contract/coordination-store.ts";
import { DemandTracker } from "../../src/demand/demand-tracker.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

/** A member that wants 100, holds 15 and is due 14: one of its tokens takes turns. */
function withATurn(): { readonly tracker: DemandTracker; answered(hungry: boolean, tight?: boolean): void } {
  const runtime = new VirtualRuntime({ seed: 1 });
  const host = {
    ...{ runtime, intervalMs: 1_000, syncIntervalMs: 1_000 },
    ...{ waiting: () => 100, scale: () => 1, held: () => 15, epochEndMs: () => 1_000, reportAfter: () => undefined },
  };
  const tracker = new DemandTracker(host);
  tracker.declare();
  const answered = (hungry: boolean, tight: boolean = true): void => {
    const demand = { waterLevel: 14, reserve: 0, extra: 0, odd: true, tight, hungry };
    tracker.heard({ held: 15, members: 14, demand } as MemberView, 15);
  };
  answered(false);
  return { tracker, answered };
}

it("a turn goes on while somebody gets too little for a moment", () => {
  const { tracker, answered } = withATurn();
  expect(tracker.keep()).toBe(15);
  for (const hungry of [true, true, false, true, true]) answered(hungry);
  expect(tracker.keep()).toBe(15);
});

it("a turn ends early where somebody gets too little for several answers on end", () => {
  const { tracker, answered } = withATurn();
  for (let answers = 0; answers < 3; answers++) answered(true);
  expect(tracker.keep()).toBe(14);
});

/** Tokens of a turn at a water level of 14. */
const TURN = 15 * 14;

it("a turn that ends is reported with the call that ends it: no call of it is only counted", () => {
  const { tracker } = withATurn();
  for (let call = 0; call < TURN; call++) {
    expect(tracker.countsUntilMs).toBe(Number.NEGATIVE_INFINITY);
    tracker.asked(1, 1, 0);
  }
  expect(tracker.keep()).toBe(14);
});

it("calls that were only counted, while nobody lacked the token, are of its turn", () => {
  const { tracker, answered } = withATurn();
  answered(false, false);
  tracker.asked(1, 1, 0);
  expect(tracker.countsUntilMs).toBeGreaterThan(0);
  tracker.singles += TURN - 2;
  answered(false);
  expect(tracker.keep()).toBe(15);
  tracker.asked(1, 1, 0);
  expect(tracker.keep()).toBe(14);
});
