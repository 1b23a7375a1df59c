import { describe, expect, it } from "vitest";
import { Fleet, Process } from "../support/fleet.ts";

/**
 * Defaults: interval 1 s, sync 1 s, validity 6.75 s, stale age 10 s. The fleet fails as soon as an epoch grants more
 * than max.
 */
const STALE_MS = 10_000;

async function fleetOf(count: number, max = 101): Promise<Fleet> {
  const fleet = new Fleet(max);
  for (let i = 0; i < count; i++) await fleet.join();
  await fleet.run(5_000);
  expect(fleet.agrees(count)).toBe(true);
  expect(fleet.lastEpoch).toBe(max);
  return fleet;
}

describe("the protocol, in virtual time, with callers that take everything", () => {
  // Whether a drop and the raise that it allows fall into one epoch depends on the instant of the join.
  it.each([0, 100, 200, 300, 400, 500, 600, 700, 800, 900])(
    "join %d ms into an epoch: shares shrink before the newcomer's grows, and three syncs later all agree and nothing is lost",
    async (ms) => {
      const fleet = await fleetOf(3);
      await fleet.run(ms);
      await fleet.join();
      await fleet.run(3_000);
      expect(fleet.agrees(4)).toBe(true);
      await fleet.run(2_000);
      expect(fleet.lastEpoch).toBe(101);
    },
  );

  it("graceful leave: the others take over at once, without waiting for the stale age", async () => {
    const fleet = await fleetOf(3);
    await fleet.processes[0]?.throttle.stop();
    await fleet.run(3_000);
    expect(fleet.agrees(2)).toBe(true);
    await fleet.run(2_000);
    expect(fleet.lastEpoch).toBe(101);
  });

  it("crash: the share is back after the stale age and not before", async () => {
    const fleet = await fleetOf(4, 100);
    fleet.processes[0]?.crash();
    await fleet.run(STALE_MS - 1_500);
    expect(fleet.lastEpoch).toBe(75);
    await fleet.run(5_500);
    expect(fleet.agrees(3)).toBe(true);
    expect(fleet.lastEpoch).toBe(100);
  });

  it("crash with replacement: the newcomer starts on what is free, without waiting for the stale age", async () => {
    const fleet = await fleetOf(4, 100);
    fleet.processes[0]?.crash();
    const crashedAt = fleet.world.now();
    const newcomer = await fleet.join();
    await fleet.run(4_000);
    expect((newcomer.firstGrantMs ?? Number.POSITIVE_INFINITY) - crashedAt).toBeLessThan(STALE_MS / 3);
    await fleet.run(STALE_MS);
    expect(fleet.agrees(4)).toBe(true);
    expect(fleet.lastEpoch).toBe(100);
  });

  it("pause longer than the stale age: the paused process grants nothing when it wakes, until it has joined again", async () => {
    const fleet = await fleetOf(2, 100);
    const [paused] = fleet.processes;
    paused?.pause();
    await fleet.run(20_000);
    expect(fleet.lastEpoch).toBe(100);
    // It wakes and asks before any timer of its runs.
    paused?.resume();
    expect(paused?.throttle.tryAcquireUpTo(1_000)).toBe(0);
    await fleet.run(5_000);
    expect(fleet.agrees(2)).toBe(true);
    expect(fleet.lastEpoch).toBe(100);
  });

  it("pause shorter than the validity: nothing changes hands", async () => {
    const fleet = await fleetOf(2, 100);
    const generation = fleet.processes[1]?.throttle.status().generation;
    fleet.processes[0]?.pause();
    await fleet.run(5_000);
    fleet.processes[0]?.resume();
    await fleet.run(3_000);
    expect(fleet.processes[1]?.throttle.status().generation).toBe(generation);
    expect(fleet.lastEpoch).toBe(100);
  });

  it("lost reply: a raise that was recorded and never heard of is used by nobody, and found again", async () => {
    const fleet = await fleetOf(2, 100);
    for (const process of fleet.processes) process.losesReplies = 2;
    await fleet.join();
    await fleet.run(8_000);
    expect(fleet.agrees(3)).toBe(true);
    expect(fleet.lastEpoch).toBe(100);
  });

  it("lost reply to a registration: the newcomer registers again and is one member", async () => {
    const fleet = await fleetOf(2, 100);
    const newcomer = new Process(fleet, {});
    newcomer.losesReplies = 1;
    fleet.processes.push(newcomer);
    const started = newcomer.throttle.start();
    await fleet.run(5_500);
    await started;
    expect((await fleet.server.store.inspect("g")).memberCount).toBe(3);
    expect(fleet.agrees(3)).toBe(true);
  });

  it("store restart with data lost: survivors claim what they use before anybody is raised", async () => {
    const fleet = new Fleet(100);
    for (let i = 0; i < 4; i++) await fleet.join({ learning: 3_000 });
    await fleet.run(10_000);
    expect(fleet.agrees(4)).toBe(true);
    fleet.server.loseData();
    await fleet.join({ learning: 3_000 });
    await fleet.run(10_000);
    expect(fleet.agrees(5)).toBe(true);
    expect(fleet.lastEpoch).toBe(100);
  });

  it.each([3_600_000, 30_000, 1_700])("a store clock that jumps ahead by %d ms removes nobody", async (ms) => {
    const fleet = await fleetOf(3, 100);
    const generation = fleet.processes[0]?.throttle.status().generation;
    fleet.server.setClock(ms);
    await fleet.run(5_000);
    expect(fleet.processes[0]?.throttle.status().generation).toBe(generation);
    expect(fleet.agrees(3)).toBe(true);
  });

  it.each([3_600_000, 30_000, 1_700])("a store clock that jumps back by %d ms stops nobody", async (ms) => {
    const fleet = await fleetOf(3, 100);
    fleet.server.setClock(-ms);
    await fleet.run(5_000);
    expect(fleet.agrees(3)).toBe(true);
    expect(fleet.lastEpoch).toBe(100);
    await fleet.join();
    await fleet.run(4_000);
    expect(fleet.agrees(4)).toBe(true);
  });

  it("max lowered on every member, one after the other: the group follows the first", async () => {
    const fleet = await fleetOf(3, 100);
    for (const { throttle } of fleet.processes) {
      throttle.update({ max: 40 });
      await fleet.run(3_000);
      expect(fleet.lastEpoch).toBe(40);
      fleet.max = 40;
    }
    expect(fleet.agrees(3)).toBe(true);
  });

  it("max raised on every member, one after the other: the group follows the last", async () => {
    const fleet = await fleetOf(3, 40);
    for (const [i, { throttle }] of fleet.processes.entries()) {
      expect(fleet.lastEpoch).toBe(40);
      if (i === 2) fleet.max = 100;
      throttle.update({ max: 100 });
      await fleet.run(4_000);
    }
    expect(fleet.agrees(3)).toBe(true);
    expect(fleet.lastEpoch).toBe(100);
  });

  it("a limit smaller than the group: everyone gets a turn", async () => {
    const fleet = await fleetOf(7, 3);
    const turns = new Map<number, number>();
    for (const [i, { throttle }] of fleet.processes.entries())
      throttle.on("grant", ({ tokens }) => turns.set(i, (turns.get(i) ?? 0) + tokens));
    await fleet.run(14_000);
    expect(turns.size).toBe(7);
    for (const taken of turns.values()) expect(taken).toBeGreaterThanOrEqual(5);
  });
});
