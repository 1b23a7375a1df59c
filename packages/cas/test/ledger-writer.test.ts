import { VirtualRuntime } from "@dt/core/testing";
import { ReferenceTable } from "@dt-tooling/simulator/reference-table";
import { expect, it } from "vitest";
import { HybridClock, type LedgerCall, LedgerWriter, type Outcome, PRUNE } from "../src/index.ts";

it("what is written at once is never more than the database takes, calls and removals together, and nothing is left out", async () => {
  const runtime = new VirtualRuntime();
  const removed: string[] = [];
  const batches: number[] = [];
  const table = new ReferenceTable();
  const writer = new LedgerWriter<undefined, { table: ReferenceTable; outcomes: Map<LedgerCall, Outcome> }, string>({
    ...{ runtime, clock: new HybridClock(runtime), timeoutMs: 1_000, mostCalls: 4, mostChanges: 6 },
    begin: (calls, stale) => {
      batches.push(calls.length + stale.length);
      removed.push(...stale);
      return {
        read: async () => undefined,
        apply: (now) => ({ table, outcomes: new Map(now.map((call) => [call, { view: undefined }])) }),
        commit: async () => ({ done: true, recorded: true }),
        look: () => table,
      };
    },
  });
  const stale = Array.from({ length: 15 }, (_, i) => `member ${i}`);
  await Promise.all(Array.from({ length: 9 }, () => writer.write({ ...PRUNE }, stale.splice(0, 3), () => false)));
  await runtime.advance(1_000);
  expect(Math.max(...batches)).toBe(6);
  expect(removed.sort()).toEqual(Array.from({ length: 15 }, (_, i) => `member ${i}`).sort());
});

it("a call that nobody waits for when its turn comes is not begun, and ends", async () => {
  const runtime = new VirtualRuntime();
  const writer = new LedgerWriter<undefined, never, string>({
    ...{ runtime, clock: new HybridClock(runtime), timeoutMs: 1_000, mostCalls: 4, mostChanges: 6 },
    begin: () => {
      throw new Error("it was begun");
    },
  });
  await expect(writer.write(PRUNE, [], () => true)).rejects.toMatchObject({ code: "DT_ABORTED", effect: "definite" });
});
