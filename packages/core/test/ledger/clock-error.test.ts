import { expect, it } from "vitest";
import { deregister } from "../../src/ledger/index.ts";
import { Group } from "./support/group.ts";

it("the largest clock error of a live member counts for everybody", () => {
  const group = new Group();
  expect(group.join("exact", { clockErrorMs: 10 }).clockErrorMs).toBe(10);
  expect(group.join("old").clockErrorMs).toBe(10);
  expect(group.join("loose", { clockErrorMs: 250 }).clockErrorMs).toBe(250);
  expect(group.beat("exact").clockErrorMs).toBe(250);
});

it("that of a member that left counts for as long as its clock may have been ahead when it left", () => {
  const group = new Group();
  group.join("exact", { clockErrorMs: 10 });
  group.join("loose", { clockErrorMs: 250 });
  deregister(group.table, { id: "loose", incarnation: "loose" }, { seq: 9, level: null }, group.clockMs);
  expect(group.row.clockErrorMs).toBe(10);
  // An epoch that begins later than the group's time plus this bound has not begun for the one that left.
  expect(group.beat("exact").clockErrorMs).toBe(250);
  group.clockMs += 200;
  expect(group.beat("exact").clockErrorMs).toBe(50);
  group.clockMs += 50;
  expect(group.beat("exact").clockErrorMs).toBe(10);
});

it("so does that of one that was removed as stale", () => {
  const group = new Group();
  group.join("exact", { clockErrorMs: 10 });
  group.join("loose", { clockErrorMs: 250, staleAfterMs: 1_000 });
  let view = group.beat("exact");
  while (view.members === 2) {
    group.clockMs += 100;
    view = group.beat("exact");
  }
  expect(view.clockErrorMs).toBe(250);
});
