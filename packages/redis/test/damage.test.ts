import type { MemberView, Registration } from "@dt/core";
import { until } from "@dt-tooling/backends";
import { failure } from "@dt-tooling/backends/failure";
import { accepted, adopting, newcomer } from "@dt-tooling/simulator/requests";
import { describe, expect, test } from "vitest";
import { redisStore } from "../src/index.ts";
import { redis as admin, server, store } from "./support/own-server.ts";
import { edit, group, keys, member, members, sync, useThreeMembers, views } from "./support/three-members.ts";

/**
 * What somebody else wrote into a group's keys, or deleted there: the group heals, or says which key and which command
 * repairs it.
 */

useThreeMembers();

const damages: readonly (readonly [string, (field: string) => Promise<unknown>])[] = [
  ["empty", (field) => admin.hset(keys()[0], field, "")],
  ["a text", (field) => admin.hset(keys()[0], field, "hello")],
  [
    "truncated",
    (field) =>
      admin.eval(
        "redis.call('HSET', KEYS[1], ARGV[1], string.sub(redis.call('HGET', KEYS[1], ARGV[1]), 1, 9))",
        1,
        keys()[0],
        field,
      ),
  ],
  ["with a field too few", (field) => edit(field, "row[#row] = nil")],
  ["with a field too many", (field) => edit(field, "row[#row + 1] = 1")],
  [
    "NaN where a number belongs",
    (field) => edit(field, "for i = 2, #row do if type(row[i]) == 'number' then row[i] = 0 / 0 end end"),
  ],
  ["huge", (field) => edit(field, "for i = 2, #row do if type(row[i]) == 'number' then row[i] = 1e300 end end")],
  ["negative", (field) => edit(field, "for i = 2, #row do if type(row[i]) == 'number' then row[i] = -5 end end")],
  ["a list of lists", (field) => edit(field, "for i = 2, #row do row[i] = { {} } end")],
];

describe.each(damages)("a row that is %s", (_, damage) => {
  test("of a member: the member is dropped, the others go on, and the group learns until its share has ended", async () => {
    const { generation } = views[0] as MemberView;
    await damage(member(1));
    // It is noticed by the member itself, or by whatever counts the members.
    const dropped = members[1] as Registration;
    expect(await store.sync(group, dropped, adopting(views[1] as MemberView, 6))).toMatchObject({ status: "unknown" });
    const after = await sync(0, 6);
    expect(after).toMatchObject({ status: "disagree", members: 2, learning: true, held: 4 });
    expect(after.generation).toBeGreaterThan(generation);
    // It registers again and claims; nobody is raised meanwhile.
    const back = await store.register(group, { ...dropped, seq: 7, rejoin: true, claim: 4 });
    expect(back).toMatchObject({ status: "disagree", members: 3, held: 4, learning: true });
    expect((await store.inspect(group)).held).toBe(12);
    expect(await store.repair(group)).toEqual({ found: [], members: 3, reset: false });
  });

  test("of the group: its members register again and claim, and nobody is raised meanwhile", async () => {
    await damage("group");
    const [a] = members as [Registration];
    expect(await store.sync(group, a, adopting(views[0] as MemberView, 6))).toMatchObject({ status: "unknown" });
    const newest = newcomer({ max: 12, staleAfterMs: 100 });
    expect(await store.register(group, newest)).toMatchObject({ status: "disagree", held: 0, learning: true });
    const back = accepted(await store.register(group, { ...a, seq: 7, rejoin: true, claim: 4, learningMs: 0 }));
    expect(back).toMatchObject({ status: "disagree", members: 2, held: 4, learning: true });
    expect(back.generation).toBeGreaterThan(views[0]?.generation as number);
  });

  test("does not make anybody say so again and again", async () => {
    await damage("group");
    await store.repair(group);
    const listener = redisStore({ url: server.url, timeout: "5s" });
    let heard = 0;
    await listener.onHint?.(group, () => {
      heard += 1;
    });
    const alone = newcomer({ max: 12 });
    await store.register(group, alone);
    for (let seq = 2; seq < 30; seq++)
      await store.sync(group, alone, { seq, generation: 1, members: 1, held: 0, max: 12, level: null });
    await until("a hint came", 5_000, () => heard > 0);
    await listener.close();
    expect(heard).toBeLessThanOrEqual(2);
  });
});

describe("aggregates that are wrong", () => {
  test.each([
    ["member_count", "row[4] = 99"],
    ["adopted", "row[6] = 99"],
    ["capacity", "row[7] = 0"],
    ["held, too little", "row[5] = 1"],
    ["generation", "row[3] = 7"],
  ])("%s is counted anew with the next sync, and nobody has to wait", async (_, lua) => {
    await edit("group", lua);
    await sync(0, 6);
    for (const seq of [7, 8]) for (const i of [0, 1, 2]) await sync(i, seq);
    expect(await sync(0, 9)).toMatchObject({ status: "agree", members: 3, held: 4, capacity: 12, learning: false });
    expect(await store.inspect(group)).toMatchObject({ held: 12, memberCount: 3, adopted: 3 });
  });

  test("are found also when a member registers again", async () => {
    await edit("group", "row[5] = 1");
    const again = { ...(members[0] as Registration), seq: 6, rejoin: true, claim: 4 };
    expect(await store.register(group, again)).toMatchObject({ members: 3, held: 4, learning: false });
    expect((await store.inspect(group)).held).toBe(12);
  });

  test("a sum of what is held that is too large is counted anew when the membership changes", async () => {
    await edit("group", "row[5] = 1e9");
    await store.register(group, newcomer({ max: 12 }));
    expect(await store.inspect(group)).toMatchObject({ memberCount: 4, held: 12 });
  });

  test.each([1, 2, 4, 5])("key %i deleted is made anew from the rows, and nobody has to wait", async (key) => {
    await admin.del(keys()[key] as string);
    await store.deregister(group, members[2] as Registration, { seq: 6, level: null });
    for (const seq of [7, 8, 9]) for (const i of [0, 1]) await sync(i, seq);
    expect(await sync(0, 10)).toMatchObject({ status: "agree", members: 2, learning: false });
    expect(await store.repair(group)).toEqual({ found: [], members: 2, reset: false });
  });

  test("a rank that nobody has is given anew", async () => {
    await admin.hdel(keys()[0], "r:2");
    await store.deregister(group, members[0] as Registration, { seq: 6, level: null });
    expect((await store.inspect(group)).members.map(({ rank }) => rank)).toEqual([0, 1]);
  });
});

describe("rows that were deleted", () => {
  test("a member's: what it held stays its own until its share has ended", async () => {
    await admin.hdel(keys()[0], member(1));
    expect(await store.register(group, newcomer({ max: 12 }))).toMatchObject({ held: 0, learning: true });
  });

  test.each(["all rows", "the group's"])("%s: whoever joins then learns, though the group is new", async (what) => {
    if (what === "all rows") await admin.del(keys()[0]);
    else await admin.hdel(keys()[0], "group");
    const view = await store.register(group, newcomer({ max: 12 }));
    expect(view).toMatchObject({ status: "disagree", held: 0, learning: true });
  });
});

describe("repair", () => {
  test("finds nothing in a sound group, and changes nothing", async () => {
    const before = await store.inspect(group);
    expect(await store.repair(group)).toEqual({ found: [], members: 3, reset: false });
    expect((await store.inspect(group)).generation).toBe(before.generation);
    expect(await store.repair("nobody's")).toEqual({ found: [], members: 0, reset: false });
  });

  test("finds a member that the times have before its own is over, and none that they have exactly there", async () => {
    const [rows, expiry] = keys();
    const place = (offsetMs: number) =>
      admin.eval(
        `local over_ms = ({ cmsgpack.unpack(redis.call('HGET', KEYS[1], 'm:' .. ARGV[1])) })[3]
        return redis.call('ZADD', KEYS[2], math.ceil(over_ms) + ARGV[2], ARGV[1])`,
        2,
        rows,
        expiry,
        members[1]?.incarnation as string,
        offsetMs,
      );
    await place(0);
    expect(await store.repair(group)).toEqual({ found: [], members: 3, reset: false });
    await place(-1);
    const found = ["what members are looked up by does not fit their rows"];
    expect(await store.repair(group)).toEqual({ found, members: 3, reset: false });
    expect(await store.repair(group)).toEqual({ found: [], members: 3, reset: false });
  });

  test("says what was wrong", async () => {
    await admin.hset(keys()[0], member(1), "hello");
    const { found, members: left } = await store.repair(group);
    expect(found.join()).toContain(`field ${member(1)}, holds something else`);
    expect(left).toBe(2);
  });

  test("with reset forgets the members of a living fleet, whose sum stays within the limit", async () => {
    expect(await store.repair(group, { reset: true })).toMatchObject({ members: 0, reset: true });
    expect(await store.register(group, newcomer({ max: 12 }))).toMatchObject({ held: 0, learning: true });
    for (const registration of members) {
      const claim = { ...registration, seq: 7, rejoin: true, claim: 4 };
      expect(await store.register(group, claim)).toMatchObject({ held: 4, learning: true });
    }
    expect((await store.inspect(group)).held).toBe(12);
  });

  test("knows its options", async () => {
    const error = await failure(store.repair(group, { rest: true } as never));
    expect(error.message).toContain("did you mean reset?");
  });
});
