import { expect, it } from "vitest";
import { MemoryStore, type PermitRequest } from "../../src/index.ts";
import { deregister } from "../../src/ledger/index.ts";
import { ForgettingMap } from "../../src/memory/forgetting-map.ts";
import { isGroupOver, isKeyOver } from "../../src/memory/memory-life.ts";
import { MemoryPermitTable } from "../../src/permits/memory-permit-table.ts";
import { reservePermits } from "../../src/permits/permits.ts";
import { VirtualRuntime } from "../../src/testing/index.ts";
import { Group, registration } from "../ledger/support/group.ts";

it("values that are over are forgotten as others come, and those in use never", () => {
  const over = new Set<number>();
  const map = new ForgettingMap<number>((value) => over.has(value));
  map.set("kept", -1_000);
  for (let i = 0; i < 10_000; i++) {
    map.set(`name ${i}`, i);
    over.add(i - 100);
  }
  expect(map.size).toBeLessThan(400);
  expect(map.get("kept")).toBe(-1_000);
  expect(map.get("name 9999")).toBe(9_999);
});

it("a group is over once it has no members, no level, no learning, and the clock is past all that was answered", () => {
  const group = new Group();
  const leave = { id: "a", incarnation: "a" };
  group.join("a", { level: 5, resumeWithinMs: 8_000, learningMs: 9_000, observedMs: group.clockMs + 3_000 });
  expect(isGroupOver(group.table, group.clockMs + 60_000)).toBe(false);
  deregister(group.table, leave, { seq: 9, level: 5 }, group.clockMs);
  expect(isGroupOver(group.table, group.clockMs + 2_999)).toBe(false);
  expect(isGroupOver(group.table, group.clockMs + 10_999)).toBe(false);
  const { lastMs } = group.row;
  // The level is remembered until 8 s after the group's last time, and learning counts a quiet stretch as 2.5 s only.
  expect(isGroupOver(group.table, lastMs + 8_001)).toBe(false);
  for (let second = 1; second < 12; second++) {
    group.clockMs += 1_000;
    deregister(group.table, leave, { seq: 9, level: 5 }, group.clockMs);
  }
  expect(isGroupOver(group.table, Math.ceil(group.row.lastMs / 1_000) * 1_000 + 1_000)).toBe(true);
});

it("a group that was left is not over in the epoch in which its tokens were used, by anybody's clock", () => {
  const group = new Group();
  group.join("a", { intervalMs: 60_000, clockErrorMs: 700 });
  group.clockMs = 1_010_000;
  deregister(group.table, { id: "a", incarnation: "a" }, { seq: 9, level: 5 }, group.clockMs);
  // The epoch ends at 1,020,000.
  expect(isGroupOver(group.table, 1_020_699)).toBe(false);
  expect(isGroupOver(group.table, 1_020_700)).toBe(true);
});

it("a new group learns if it is told to, however old the process is; otherwise it uses its tokens at once", async () => {
  const store = new MemoryStore({ runtime: new VirtualRuntime({ startMs: 500_000 }) });
  const told = await store.register("told", registration("a", { learningMs: 3_000 }));
  expect(told).toMatchObject({ learning: true, held: 0 });
  expect(await store.register("not told", registration("a"))).toMatchObject({ held: 100, early: 100 });
});

it("a group whose members all died without anybody calling is over a day later", () => {
  const group = new Group();
  group.join("a");
  expect(isGroupOver(group.table, group.clockMs + 86_400_000)).toBe(false);
  expect(isGroupOver(group.table, group.clockMs + 86_400_000 + 20_001)).toBe(true);
});

it("a key of permits is over a minute after its last permit", () => {
  const table = new MemoryPermitTable();
  const request: PermitRequest = {
    id: "r",
    count: 1,
    cost: 1,
    everyMs: 5_000,
    burst: 1,
    maxReserved: 10,
    keepMs: 1_000,
    queueMs: 0,
  };
  reservePermits(table, request, 1_000);
  expect(isKeyOver(table, 1_000)).toBe(false);
  expect(isKeyOver(table, 60_000)).toBe(false);
  expect(isKeyOver(table, 1_000_000)).toBe(true);
});

it("a generation is never given again, however often a group is left and begun anew", async () => {
  const runtime = new VirtualRuntime({ startMs: 1_000 });
  const store = new MemoryStore({ runtime });
  let generation = 0;
  for (let round = 0; round < 200; round++) {
    const view = await store.register("g", registration("a", { incarnation: `boot ${round}` }));
    expect(view.status === "agree" && view.generation).toBeGreaterThan(generation);
    if (view.status === "agree") generation = view.generation;
    await store.deregister("g", { id: "a", incarnation: `boot ${round}` }, { seq: 2, level: null });
    for (let other = 0; other < 5; other++)
      await store.sync(
        `${round} ${other}`,
        { id: "x", incarnation: "x" },
        { seq: 1, generation: 0, members: 0, held: 0, max: 1, level: null },
      );
    await store.register(`${round}`, registration("b"));
    await store.deregister(`${round}`, { id: "b", incarnation: "b" }, { seq: 2, level: null });
    runtime.jump(round % 3);
  }
});
