import { expect, it } from "vitest";
import { deregister } from "../../src/ledger/index.ts";
import { Group } from "./support/group.ts";

/** Beats of one member every second until the group is of this size; gives the time it took. */
function beatUntil(group: Group, name: string, memberCount: number): number {
  const startMs = group.clockMs;
  while (group.beat(name).members !== memberCount) group.clockMs += 1_000;
  return group.clockMs - startMs;
}

it("a short-lived member with a small stale age slows down the finding of crashes only while it lives", () => {
  const group = new Group();
  group.join("a");
  group.join("brief", { staleAfterMs: 200 });
  expect(group.row.quietLimitMs).toBe(50);
  deregister(group.table, { id: "brief", incarnation: "brief" }, { seq: 9, level: null }, group.clockMs);
  expect(group.row.quietLimitMs).toBe(2_500);
  group.join("crashes");
  expect(beatUntil(group, "a", 1)).toBe(10_000);
});

it("nor does one that crashed itself, once it is removed", () => {
  const group = new Group();
  group.join("a");
  group.join("brief", { staleAfterMs: 200 });
  beatUntil(group, "a", 1);
  expect(group.row).toMatchObject({ quietLimitMs: 2_500, longestStaleMs: 10_000 });
});

it("one that is refused slows down nothing", () => {
  const group = new Group();
  group.join("a");
  expect(() => group.join("other", { intervalMs: 60_000, staleAfterMs: 200 })).toThrow("interval is 60000 ms");
  expect(group.row.quietLimitMs).toBe(2_500);
});

it("in an empty group silence goes on counting for learning, by the stale age that was last known", () => {
  const group = new Group();
  group.join("a", { learningMs: 5_000 });
  deregister(group.table, { id: "a", incarnation: "a" }, { seq: 9, level: null }, group.clockMs);
  group.clockMs += 2_000;
  expect(group.join("b").learning).toBe(true);
  group.clockMs += 2_500;
  expect(group.beat("b").learning).toBe(true);
  group.clockMs += 500;
  expect(group.beat("b").learning).toBe(false);
});
