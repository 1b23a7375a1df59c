import { describe, expect, it } from "vitest";
import { createThrottle, isDtError, type MemberView, MemoryStore, type Report, type View } from "../../src/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

/** A store whose syncs are answered with something else in the view of a member. */
class AlteringStore extends MemoryStore {
  alter: (view: MemberView) => Partial<MemberView> = () => ({});

  override async sync(group: string, member: { id: string; incarnation: string }, report: Report): Promise<View> {
    const view = await super.sync(group, member, report);
    return "held" in view ? { ...view, ...this.alter(view) } : view;
  }
}

describe("an answer of a store that cannot be right", () => {
  it.each<[string, (view: MemberView) => Partial<MemberView>]>([
    ["entitled 13 to a member that holds 12", ({ held }) => ({ entitled: held + 1 })],
    ["entitled 12 to a member that holds 12 of a capacity of 11", () => ({ capacity: 11 })],
    ["entitled 1.5, which is not a whole number >= 0", () => ({ entitled: 1.5 })],
    ["entitled undefined, which is not a whole number >= 0", () => ({ entitled: undefined as unknown as number })],
    ["fromEpoch undefined, which is not a whole number >= 0", () => ({ fromEpoch: undefined as unknown as number })],
    ["early undefined, which is not a whole number >= 0", () => ({ early: undefined as unknown as number })],
    ["early 13 to a member that is entitled to 12", ({ entitled }) => ({ early: entitled + 1 })],
    ["resumeLevel NaN, which is neither null nor a number >= 0", () => ({ resumeLevel: Number.NaN })],
    ["groupAgeMs -1, which is not a time", () => ({ groupAgeMs: -1 })],
    ["learning no, which is neither true nor false", () => ({ learning: "no" as unknown as boolean })],
  ])("is refused, and the share goes on as it was: %s", async (fault, alter) => {
    const runtime = new VirtualRuntime();
    const store = new AlteringStore({ runtime });
    const throttle = createThrottle({ name: "g", max: 12, store, runtime });
    const faults: string[] = [];
    throttle.on("storeError", ({ error }) => {
      if (isDtError(error, "DT_STORE_REPLY")) faults.push(error.message);
    });
    await throttle.start();
    await runtime.advance(3_000);
    expect([throttle.tryAcquireUpTo(100), faults]).toEqual([12, []]);
    store.alter = alter;
    await runtime.advance(2_000);
    expect(faults.length).toBeGreaterThan(0);
    expect(faults[0]).toContain(fault);
    expect(throttle.tryAcquireUpTo(100)).toBe(12);
    await throttle.stop();
  });
});
