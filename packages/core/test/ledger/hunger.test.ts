import { expect, it } from "vitest";
import type { MemberView, View } from "../../src/index.ts";
import { register, sync } from "../../src/ledger/index.ts";
import { MemoryTable } from "../../src/memory/memory-table.ts";
import { registration } from "./support/group.ts";

const SYNC_MS = 1_000;

it("a member that starves on end keeps its group hungry, also when each of its syncs comes a little early", () => {
  const table = new MemoryTable();
  let [clockMs, seq] = [1_000_000, 1];
  const demand = { want: 100, syncMs: SYNC_MS };
  for (const name of ["rich", "poor"]) register(table, registration(name, { demand }), clockMs);
  const answered = (name: string, held: number): MemberView => {
    const report = { seq: ++seq, generation: 0, members: 2, held, max: 100, level: null, demand };
    return memberView(sync(table, { id: name, incarnation: name }, report, clockMs));
  };
  const told = Array.from({ length: 20 }, () => {
    clockMs += 0.94 * SYNC_MS - 400;
    answered("poor", 0);
    clockMs += 400;
    // It gives nothing up.
    return answered("rich", 100).demand?.hungry;
  });
  expect(told).toEqual(told.map(() => true));
});

function memberView(view: View): MemberView {
  if ("generation" in view) return view;
  throw new Error(`answered ${view.status}`);
}
