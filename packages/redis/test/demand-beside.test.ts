import type { MemberView, Registration, Report } from "@dt/core";
import { type RedisServer, startRedis } from "@dt-tooling/backends";
import { accepted, adopting, newcomer } from "@dt-tooling/worlds/requests";
import { Redis } from "ioredis";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { groupKeys } from "../src/keys.ts";
import { ScriptedLedger } from "./support/scripted-ledger.ts";
import { versionBefore } from "./support/version-before.ts";

/**
 * What members want (R21) stands beside their rows and the group's, where processes of the version before do not look.
 * Beside a group that such a process changed, and where somebody else spoiled it, it counts as not known: the members'
 * next reports make it known again.
 */

let server: RedisServer;
let redis: Redis;
let Before: Awaited<ReturnType<typeof versionBefore>>;

beforeAll(async () => {
  server = await startRedis();
  redis = new Redis(server.url, { autoResendUnfulfilledCommands: false });
  Before = await versionBefore({
    "table.lua": [
      ["with_wants(g, rows[4])", "g.hungry_ms = false"],
      ["unpack_member(incarnation, rows[2], rows[5])", "unpack_member(incarnation, rows[2])"],
      ["unpack_member(incarnation, rows[1], rows[2])", "unpack_member(incarnation, rows[1])"],
      ["if g.wants and (g.wants_changed", "if false and (g.wants_changed"],
    ],
    "lookup.lua": [
      ["'m:' .. m.incarnation, 'd:' .. m.incarnation,", "'m:' .. m.incarnation,"],
      ["if kind == 'm:' then", "kind = kind == 'm:' and kind if kind == 'm:' then"],
    ],
  });
});

afterAll(async () => {
  redis?.disconnect();
  await server?.stop();
});

const NOW_MS = 4_000_000_000_500;
const MAX = 100;

let prefixes = 0;
let prefix: string;
let present: ScriptedLedger;
let before: ScriptedLedger;
/** Two that share by demand, and one of the version before. */
let [busy, light, old]: Registration[] = [];

beforeEach(async () => {
  prefix = `demand-${process.pid}-${prefixes++}`;
  present = new ScriptedLedger(redis, prefix);
  before = new Before(redis, prefix);
  [busy, light, old] = [newcomer({ max: MAX }), newcomer({ max: MAX }), newcomer({ max: MAX })];
  await present.register("g", { ...(busy as Registration), demand: wanting(1_000) }, NOW_MS);
  await present.register("g", { ...(light as Registration), demand: wanting(10) }, NOW_MS);
});

const wanting = (want: number) => ({ want, syncMs: 1_000 });
const rows = (): string => groupKeys(prefix, "g").keys[0] as string;

async function reports(
  ledger: ScriptedLedger,
  member: Registration | undefined,
  seq: number,
  report: Partial<Report> = {},
): Promise<MemberView> {
  const all = { generation: 0, poolSize: 0, entitled: 0, capacity: MAX };
  const sent = { ...adopting(all as never, seq), ...report };
  return accepted(await ledger.sync("g", member as Registration, sent, NOW_MS + seq));
}

/** What the busy one is due beside a light one that wants 10. */
const ALONE = 90;
/** And beside one more that shares evenly, which gets its even part first. */
const BESIDE_EVEN = 100 - 33 - 10;

const levelOf = async (seq: number): Promise<number | undefined> =>
  (await reports(present, busy, seq, { held: 0, demand: wanting(1_000) })).demand?.level;

test("without the version before the level is what the light one leaves", async () => {
  expect(await levelOf(2)).toBe(ALONE);
});

describe("beside a process of the version before", () => {
  test("that joins, the next report counts the wants again, and it gets its even part", async () => {
    await before.register("g", old as Registration, NOW_MS + 1);
    expect(await levelOf(2)).toBe(BESIDE_EVEN);
    expect(await reports(before, old, 3)).toMatchObject({ entitled: 33 });
  });

  test("its heartbeats leave the wants as they are", async () => {
    await before.register("g", old as Registration, NOW_MS + 1);
    await levelOf(2);
    const stored = await redis.hgetBuffer(rows(), "wants");
    await reports(before, old, 3);
    expect(await redis.hgetBuffer(rows(), "wants")).toEqual(stored);
    expect(await levelOf(4)).toBe(BESIDE_EVEN);
  });

  test("that leaves again, the busy one gets all that the light one leaves", async () => {
    await before.register("g", old as Registration, NOW_MS + 1);
    await before.deregister("g", old as Registration, { seq: 2, level: null }, NOW_MS + 2);
    expect(await levelOf(3)).toBe(ALONE);
  });

  test("what it leaves of a member that it takes out counts for nobody", async () => {
    await before.deregister("g", light as Registration, { seq: 2, level: null }, NOW_MS + 2);
    expect(await redis.hexists(rows(), `d:${light?.incarnation}`)).toBe(1);
    expect(await levelOf(3)).toBe(MAX);
  });

  test("in a large group, where members are seldom counted, what nobody knows is counted when somebody reports", async () => {
    const crowd = Array.from({ length: 80 }, () => newcomer({ max: MAX }));
    for (const member of crowd) await before.register("g", member, NOW_MS + 1);
    for (const member of crowd) await before.deregister("g", member, { seq: 2, level: null }, NOW_MS + 2);
    expect(await levelOf(3)).toBe(ALONE);
  });
});

describe("what somebody else writes there counts as not known, and is made good by the next report", () => {
  const pack = (lua: string, field: string) =>
    redis.eval(
      `local v = { cmsgpack.unpack(redis.call('HGET', KEYS[1], ARGV[1])) } ${lua}
      redis.call('HSET', KEYS[1], ARGV[1], cmsgpack.pack(unpack(v)))`,
      1,
      rows(),
      field,
    );

  test.each<readonly [string, () => Promise<unknown>]>([
    ["a text", () => redis.hset(rows(), "wants", "hello")],
    ["nothing", () => redis.hset(rows(), "wants", "")],
    ["no field at all", () => redis.hdel(rows(), "wants")],
    ["a want too few", () => pack("v[#v] = nil", "wants")],
    ["fewer than no members", () => pack("v[4] = -1", "wants")],
    ["wants out of order", () => pack("v[3], v[5] = v[5], v[3]", "wants")],
    ["NaN", () => pack("v[3] = 0 / 0", "wants")],
    ["an infinite instant", () => pack("v[2] = 1 / 0", "wants")],
  ])("counts: %s", async (_, damage) => {
    await damage();
    expect(await levelOf(2)).toBe(ALONE);
  });

  test.each<readonly [string, (field: string) => Promise<unknown>]>([
    ["a text", (field) => redis.hset(rows(), field, "hello")],
    ["no field at all", (field) => redis.hdel(rows(), field)],
    ["a negative want", (field) => pack("v[1] = -1", field)],
    ["half a token", (field) => pack("v[1] = 0.5", field)],
    ["one value more", (field) => pack("v[5] = 1", field)],
    ["a rest without an end", (field) => pack("v[4] = 1 / 0", field)],
  ])("a member's: %s", async (_, damage) => {
    await damage(`d:${busy?.incarnation}`);
    await damage(`d:${light?.incarnation}`);
    await redis.hdel(rows(), "wants");
    await reports(present, light, 2, { held: 0, demand: wanting(10) });
    expect(await levelOf(3)).toBe(ALONE);
  });
});
