import type { RedisServer } from "@dt-tooling/backends";
import { failure } from "@dt-tooling/backends/failure";
import { newcomer } from "@dt-tooling/simulator/requests";
import type { Redis } from "ioredis";
import { beforeEach, describe, expect, test } from "vitest";
import type { RedisStore } from "../src/index.ts";
import { groupKeys } from "../src/keys.ts";
import { openClient, openStore, ownServer } from "./support/keep.ts";
import { SlotMember } from "./support/slot-member.ts";

/** The queue of a semaphore on a real server (R28 to R33): what is kept, what is served, and what damage does. */

const { keys, slotKeys } = groupKeys("dt", "g");
const [rows] = keys as [string];
const [queue, holders] = slotKeys as [string, string];

let server: RedisServer;
let admin: Redis;
let store: RedisStore;
let other: RedisStore;
beforeEach(async () => {
  server = await ownServer();
  admin = openClient(server.url);
  // No deadline is tested here; on a busy machine a second may not be enough.
  [store, other] = [0, 1].map(() => openStore({ url: server.url, timeout: "30s" })) as [RedisStore, RedisStore];
});

/** One of two members holds both slots, and the other one waits. */
async function oneWaits(): Promise<{ busy: SlotMember; waiting: SlotMember }> {
  const busy = await SlotMember.join(store);
  expect(await busy.report(0, 2)).toMatchObject({ held: 2 });
  const waiting = await SlotMember.join(other);
  expect(await waiting.report(0, 1)).toMatchObject({ held: 0 });
  return { busy, waiting };
}

const waitsForOne = { waiting: 1, head: 1, tookOffer: false };

const slotRow = ({ registration }: SlotMember): string => `s:${registration.incarnation}`;

describe("a slot", () => {
  test("is asked of the member that holds most, and offered to the one that waits, on record before its hint", async () => {
    const { busy, waiting } = await oneWaits();
    expect(await busy.hinted()).toMatchObject({ kind: "ask", give: 1 });
    await busy.report(1, 1);
    expect(await waiting.hinted()).toMatchObject({ kind: "offer", held: 1, seq: waiting.seq });
    const { held, members } = await store.inspect("g");
    expect(held).toBe(2);
    expect(members.map((member) => member.held)).toEqual([1, 1]);
  });

  test("of a member that leaves goes to the queue", async () => {
    const { busy, waiting } = await oneWaits();
    await busy.leave();
    expect(await waiting.hinted()).toMatchObject({ kind: "offer", seq: waiting.seq });
    expect((await store.inspect("g")).members).toMatchObject([{ incarnation: waiting.registration.incarnation }]);
  });

  test("of a member that has died goes to the queue with the next operation", async () => {
    const busy = await SlotMember.join(store, { staleAfterMs: 400 });
    await busy.report(0, 2);
    const waiting = await SlotMember.join(other);
    let seen = await waiting.report(0, 1);
    for (const untilMs = Date.now() + 10_000; seen.held === 0 && Date.now() < untilMs; )
      seen = await waiting.report(0, 1);
    expect(seen).toMatchObject({ members: 1 });
    expect(seen.held).toBeGreaterThan(0);
  });
});

describe("the rows of the queue", () => {
  test("go with their member", async () => {
    const { busy, waiting } = await oneWaits();
    expect(await admin.zscore(queue, waiting.registration.incarnation)).not.toBeNull();
    for (const member of [busy, waiting]) {
      expect(await admin.hexists(rows, slotRow(member))).toBe(1);
      expect(await admin.zscore(holders, member.registration.incarnation)).not.toBeNull();
      await member.leave();
      expect(await admin.hexists(rows, slotRow(member))).toBe(0);
      for (const key of slotKeys) expect(await admin.zscore(key, member.registration.incarnation)).toBeNull();
    }
  });

  test("leave the queue with their member's id, whichever of two processes lost it", async () => {
    await SlotMember.join(store, { max: 1 });
    const [first, second, third] = [0, 1, 2].map(
      () => new SlotMember(other, { id: "p", max: 1, demand: { want: 1, syncMs: 1_000, slots: waitsForOne } }),
    ) as [SlotMember, SlotMember, SlotMember];
    const isQueued = async (member: SlotMember): Promise<boolean> =>
      (await admin.zscore(queue, member.registration.incarnation)) !== null;
    for (const member of [first, second]) await member.register();
    await second.report(0, 1);
    expect(await Promise.all([first, second].map(isQueued))).toEqual([true, true]);
    await expect(first.report(0, 1)).rejects.toThrow("refused: fenced");
    expect(await Promise.all([first, second].map(isQueued))).toEqual([false, true]);
    await third.register();
    await third.report(0, 1);
    expect(await Promise.all([first, second, third].map(isQueued))).toEqual([false, false, true]);
  });

  test("live as long as the group's other keys, and are not there for a throttle", async () => {
    await oneWaits();
    const times = await Promise.all([...keys, ...slotKeys].map((key) => admin.pexpiretime(key)));
    expect(new Set(times).size).toBe(1);
    await store.register("throttle", newcomer({ demand: { want: 1, syncMs: 1_000 } }));
    expect(await admin.exists(...groupKeys("dt", "throttle").slotKeys)).toBe(0);
  });

  test("are no place for a member of another kind", async () => {
    await oneWaits();
    expect(await failure(store.register("g", newcomer()))).toMatchObject({ code: "DT_INTERVAL_MISMATCH" });
    const before = await admin.zrange(queue, "0", "-1");
    expect(before).toHaveLength(2);
  });
});

describe("damage", () => {
  const edit = (lua: string, ...names: string[]): Promise<unknown> =>
    admin.eval(
      `local row = { cmsgpack.unpack(redis.call('HGET', KEYS[1], ARGV[1])) } ${lua} return redis.call('HSET', KEYS[1], ARGV[1], cmsgpack.pack(unpack(row)))`,
      1,
      rows,
      ...names,
    );

  test.each([
    ["empty", (field: string) => admin.hset(rows, field, "")],
    ["a text", (field: string) => admin.hset(rows, field, "hello")],
    ["missing", (field: string) => admin.hdel(rows, field)],
    ["with a field too few", (field: string) => edit("row[#row] = nil", field)],
    ["with a field too many", (field: string) => edit("row[#row + 1] = 1", field)],
    ["of a newer version", (field: string) => edit("row[1] = 'f9'", field)],
    ["negative", (field: string) => edit("row[2] = -1", field)],
    ["NaN where a number belongs", (field: string) => edit("row[2] = 0 / 0", field)],
  ])(
    "of a row that is %s drops it: the member is served by its next report, and holds what it held",
    async (_, spoil) => {
      const { busy, waiting } = await oneWaits();
      for (const member of [busy, waiting]) await spoil(slotRow(member));
      expect(await busy.report(2, 0)).toMatchObject({ held: 2 });
      expect(await admin.zscore(queue, waiting.registration.incarnation)).toBeNull();
      expect(await store.repair("g")).toEqual({ found: [], members: 2, reset: false });
      await waiting.report(0, 1);
      await busy.report(1, 1);
      expect(await waiting.hinted()).toMatchObject({ kind: "offer", held: 1 });
    },
  );

  test("of a row that says too much raises no member beyond what is on record", async () => {
    const { busy, waiting } = await oneWaits();
    await edit("row[2] = 0 row[3] = 2", slotRow(busy));
    await edit("row[2] = 9 row[9] = 1", slotRow(waiting));
    await busy.report(2, 1);
    await waiting.report(0, 1);
    await busy.report(1, 2);
    const { held, capacity, members } = await store.inspect("g");
    expect(held).toBe(members.reduce((sum, member) => sum + member.held, 0));
    expect(held).toBeLessThanOrEqual(capacity);
    expect(waiting.hints.length).toBeGreaterThan(0);
    for (const hint of waiting.hints) expect(hint?.kind === "offer" && hint.held).toBeLessThanOrEqual(1);
  });

  test.each([
    ["the queue", [queue]],
    ["those that hold most", [holders]],
    ["both", slotKeys],
  ])("of a missing sorted set, %s, is made good by the next operation", async (_, lost) => {
    const { busy, waiting } = await oneWaits();
    expect(await busy.hinted()).toMatchObject({ kind: "ask" });
    await admin.del(...lost);
    await waiting.report(0, 1);
    expect(await admin.zrange(queue, "0", "-1")).toEqual([waiting.registration.incarnation, ""]);
    expect(await admin.zcard(holders)).toBe(3);
    const times = await Promise.all([...keys, ...slotKeys].map((key) => admin.pexpiretime(key)));
    expect(new Set(times).size).toBe(1);
    await busy.report(1, 1);
    expect(await waiting.hinted()).toMatchObject({ kind: "offer", held: 1 });
  });

  test("of a member's row makes the group learn, and empties the queue until members report", async () => {
    const { busy, waiting } = await oneWaits();
    await admin.hset(rows, `m:${busy.registration.incarnation}`, "hello");
    // It is noticed by the member itself, or by an operation that counts the members.
    await expect(busy.report(2, 0)).rejects.toThrow("refused: unknown");
    for (const member of [busy, waiting]) expect(await admin.hexists(rows, slotRow(member))).toBe(0);
    expect(await waiting.report(0, 1)).toMatchObject({ learning: true, held: 0, members: 1 });
    expect(await admin.zrange(queue, "0", "-1")).toEqual([waiting.registration.incarnation, ""]);
  });

  test("that a reset mends leaves nothing of the queue", async () => {
    const { waiting } = await oneWaits();
    await store.repair("g", { reset: true });
    expect(await admin.hexists(rows, slotRow(waiting))).toBe(0);
  });
});
