import { type ConformanceReport, runConformance } from "@dt/conformance";
import { describe, expect, it } from "vitest";
import { altered } from "../../src/conformance/mutants/altered.ts";
import type { Flaw } from "../../src/conformance/mutants/flaw.ts";
import { simulatedTarget } from "../../src/conformance/mutants/simulated-target.ts";
import { inVirtualTime } from "../../src/conformance/mutants/virtual-time.ts";

/** Registrations and reports take this long each, one after the other. */
function slow(callMs: number): Flaw {
  let last: Promise<unknown> = Promise.resolve();
  return {
    wrap: (store, { runtime }) => {
      const inTurn = <T>(call: () => Promise<T>): Promise<T> => {
        const turn = last.then(() => new Promise<void>((resolve) => runtime.setTimer(resolve, callMs))).then(call);
        last = turn.catch(() => {});
        return turn;
      };
      return altered(store, {
        register: (...args) => inTurn(() => store.register(...args)),
        sync: (...args) => inTurn(() => store.sync(...args)),
      });
    },
  };
}

function largeGroup(callMs: number, timeScale: number): Promise<ConformanceReport> {
  return inVirtualTime((runtime) =>
    runConformance(
      { ...simulatedTarget("slow", runtime, slow(callMs)), timeScale, maxMembers: 80 },
      { filter: "a large group" },
    ),
  );
}

describe("a large group on a slow store", () => {
  it("is waited for by its stale age, as long as the case has time", async () => {
    expect((await largeGroup(200, 1)).failures).toEqual([]);
  });

  it("that is too slow for the case is told which timeScale it needs, and passes with that", async () => {
    const { failures } = await largeGroup(300, 1);
    const summary = failures[0]?.summary ?? "";
    expect(summary).toContain("the store is too slow for a group of 80 in the time of a case");
    const needed = Number(/give the target a timeScale of (\d+) or more \(it is 1\)/.exec(summary)?.[1]);
    expect(needed).toBeGreaterThan(1);
    expect((await largeGroup(300, needed)).failures).toEqual([]);
  });
});
