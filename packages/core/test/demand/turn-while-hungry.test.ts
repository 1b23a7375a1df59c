import { expect, it } from "vitest";
import type { MemberView } from "../../src/contract/coordination-store.ts";
import { DemandTracker } from "../../src/demand/demand-tracker.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

/** A member that wants 100, holds 15 and is due 14: one of its tokens takes turns. */
function withATurn(): { readonly tracker: DemandTracker; answered(hungry: boolean): void } {
  const runtime = new VirtualRuntime({ seed: 1 });
  const host = {
    ...{ runtime, intervalMs: 1_000, syncIntervalMs: 1_000 },
    ...{ waiting: () => 100, scale: () => 1, held: () => 15, epochEndMs: () => 1_000, reportAfter: () => undefined },
  };
  const tracker = new DemandTracker(host);
  tracker.declare();
  const answered = (hungry: boolean): void => {
    const demand = { waterLevel: 14, reserve: 0, extra: 0, odd: true, tight: true, hungry };
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
