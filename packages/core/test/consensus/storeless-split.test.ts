import { describe, expect, it } from "vitest";
import { type CoordinationStore, createThrottle, type MemberView } from "../../src/index.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";

/** A store without a ledger, as one member of a group sees it: its rank is known, and its clock is nobody else's. */
function storeless(runtime: VirtualRuntime, rank: number, members: number, clockMs: number): CoordinationStore {
  const view = (max: number): MemberView => ({
    status: "agree",
    generation: 1,
    members,
    reportedMembers: members,
    rank,
    held: Math.ceil(max / members),
    entitled: Math.floor(max / members),
    fromEpoch: Math.floor((runtime.now() + clockMs + 250) / 1_000) + 1,
    early: 0,
    capacity: max,
    clockErrorMs: 0,
    storeTimeMs: runtime.now() + clockMs,
    groupAgeMs: 0,
    learning: false,
    resumeLevel: null,
  });
  return {
    capabilities: { name: "storeless", clock: "host", ledger: false, losesData: false, hints: false },
    register: async (_group, { max }) => view(max),
    sync: async (_group, _member, { max }) => view(max),
    deregister: async () => undefined,
    inspect: () => Promise.reject(new Error("not used")),
    close: async () => undefined,
  };
}

describe("a group without a ledger that knows its ranks", () => {
  it.each([
    { max: 11, members: 4 },
    { max: 3, members: 5 },
  ])(
    "splits $max among $members exactly, although everybody numbers the epochs differently",
    async ({ max, members }) => {
      const runtime = new VirtualRuntime();
      const throttles = Array.from({ length: members }, (_, rank) =>
        createThrottle({ name: "g", max, store: storeless(runtime, rank, members, rank * 1_000), runtime }),
      );
      for (const throttle of throttles) await throttle.start();
      await runtime.advance(2_500);
      for (let second = 0; second < 2 * members; second++) {
        const granted = throttles.map((throttle) => throttle.tryAcquireUpTo(100));
        expect(granted).toEqual(throttles.map((_, rank) => Math.floor((max + members - 1 - rank) / members)));
        expect(granted.reduce((sum, tokens) => sum + tokens, 0)).toBe(max);
        await runtime.advance(1_000);
      }
    },
  );
});
