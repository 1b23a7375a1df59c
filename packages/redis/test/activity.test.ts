import type { Activity, Registration, Report } from "@dt/core";
import { type RedisServer, startRedis } from "@dt-tooling/backends";
import { accepted, adopting, newcomer } from "@dt-tooling/worlds/requests";
import { Redis } from "ioredis";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { groupKeys } from "../src/keys.ts";
import { ScriptedLedger } from "./support/scripted-ledger.ts";
import { versionBefore } from "./support/version-before.ts";

/**
 * What members do (R27) stands beside their rows, where processes of the version before do not look. They say nothing
 * of it themselves, and leave what others say.
 */

let server: RedisServer;
let redis: Redis;
let Before: Awaited<ReturnType<typeof versionBefore>>;

beforeAll(async () => {
  server = await startRedis();
  redis = new Redis(server.url, { autoResendUnfulfilledCommands: false });
  Before = await versionBefore({
    "table.lua": [["if m.activity then", "if false then"]],
    "lookup.lua": [["'a:' .. m.incarnation,", ""]],
  });
});

afterAll(async () => {
  redis?.disconnect();
  await server?.stop();
});

const NOW_MS = 4_000_000_000_500;

let prefixes = 0;
let prefix: string;
let present: ScriptedLedger;
let before: ScriptedLedger;
let [a, b]: Registration[] = [];

beforeEach(async () => {
  prefix = `activity-${process.pid}-${prefixes++}`;
  present = new ScriptedLedger(redis, prefix);
  before = new Before(redis, prefix);
  [a, b] = [newcomer({ id: "a" }), newcomer({ id: "b" })];
  for (const member of [a, b]) await present.register("g", member as Registration, NOW_MS);
});

const rows = (): string => groupKeys(prefix, "g").keys[0] as string;
const fieldOf = (member: Registration | undefined): string => `a:${member?.incarnation}`;

async function reports(
  ledger: ScriptedLedger,
  member: Registration | undefined,
  seq: number,
  activity?: Activity,
): Promise<void> {
  const all = { generation: 0, poolSize: 0, entitled: 0, capacity: 10 };
  const sent: Report = { ...adopting(all as never, seq), ...(activity && { activity }) };
  await ledger.sync("g", member as Registration, sent, NOW_MS + seq);
}

/** What a process of this version sees of each member. */
async function shown(): Promise<unknown[]> {
  const { members } = await present.inspect("g", NOW_MS + 100);
  return members.map(({ id, used, waiting }) => [id, used, waiting]);
}

test("a version before says nothing of what its members do, leaves what others say, and takes members out", async () => {
  const old = newcomer({ id: "old" });
  await before.register("g", old, NOW_MS);
  await reports(present, a, 2, { used: 7, waiting: 3 });
  await reports(before, old, 3);
  await reports(present, b, 4, { used: 1e12, waiting: 0 });
  expect(await shown()).toEqual([
    ["a", 7, 3],
    ["b", 1e12, 0],
    ["old", undefined, undefined],
  ]);
  // What is left of one that it takes out is nobody's.
  await before.deregister("g", a as Registration, { seq: 5, level: null }, NOW_MS + 5);
  expect(await shown()).toEqual([
    ["old", undefined, undefined],
    ["b", 1e12, 0],
  ]);
  await before.register("g", newcomer({ id: "late" }), NOW_MS + 6);
  expect(await shown()).toHaveLength(3);
});

test("a heartbeat that changes nothing else tells it, too, and one that says nothing takes it away", async () => {
  const member = newcomer({ id: "alone", max: 10 });
  let view = accepted(await present.register("alone", member, NOW_MS));
  const said = [undefined, undefined, { used: 7, waiting: 3 }, { used: 0, waiting: 12 }, undefined];
  for (const [i, activity] of said.entries()) {
    const report = { ...adopting(view, i + 2), ...(activity && { activity }) };
    view = accepted(await present.sync("alone", member, report, NOW_MS + 300 * (i + 1)));
    expect(view).toMatchObject({ status: "agree", held: 10 });
    const [shownNow] = (await present.inspect("alone", NOW_MS + 2_000)).members;
    expect([shownNow?.used, shownNow?.waiting]).toEqual([activity?.used, activity?.waiting]);
  }
});

test("a member that leaves leaves nothing behind", async () => {
  await reports(present, a, 2, { used: 7, waiting: 3 });
  expect(await redis.hexists(rows(), fieldOf(a))).toBe(1);
  await present.deregister("g", a as Registration, { seq: 3, level: null }, NOW_MS + 3);
  expect(await redis.hexists(rows(), fieldOf(a))).toBe(0);
});

test.each(["", "7", "7 3 1", "-1 0", "7 x", "1e3 0", "1000000000001 0", "7  3", "\u{81}7"])(
  "what somebody wrote as %j counts as nothing, and nothing is damaged",
  async (text) => {
    await reports(present, a, 2, { used: 7, waiting: 3 });
    await redis.hset(rows(), fieldOf(a), text);
    expect(await shown()).toEqual([
      ["a", undefined, undefined],
      ["b", undefined, undefined],
    ]);
    await reports(present, a, 3, { used: 0, waiting: 0 });
    expect(await shown()).toEqual([
      ["a", 0, 0],
      ["b", undefined, undefined],
    ]);
  },
);
