import type { MemberView, Registration } from "@dt/core";
import { type RedisServer, startRedis } from "@dt-tooling/backends";
import { accepted, adopting, newcomer } from "@dt-tooling/worlds/requests";
import { Redis } from "ioredis";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { groupKeys } from "../src/keys.ts";
import { ScriptedLedger } from "./support/scripted-ledger.ts";
import { versionBefore } from "./support/version-before.ts";

/**
 * Nearly every sync finds nothing to decide, and does not look for stale members before the first one's time is over,
 * which stands beside the group's row. Whatever others do to the group, the versions before this one included, stale
 * members go when they should, and what was deleted is found.
 */

let server: RedisServer;
let redis: Redis;
let Before: Awaited<ReturnType<typeof versionBefore>>;

beforeAll(async () => {
  server = await startRedis();
  redis = new Redis(server.url, { autoResendUnfulfilledCommands: false });
  Before = await versionBefore({
    "rows.lua": [
      ["g.spent, g.earliest_ms or false)", "g.spent)"],
      ["if type(earliest_ms) == 'number' then", "if false then"],
    ],
    "table.lua": [
      ["local place_ms = math.ceil(m.expires_at_ms)", "local place_ms = m.expires_at_ms"],
      ["math.ceil(liveness_ms)", "liveness_ms"],
    ],
    "steady.lua": [["if ARGV[12] ~= '' then", "if true then"]],
  });
});

afterAll(async () => {
  redis?.disconnect();
  await server?.stop();
});

/** Later than any real time, so that the server does not find the keys expired. */
const START_MS = 4_000_000_000_000;

let prefixes = 0;
let prefix: string;
let present: ScriptedLedger;
let before: ScriptedLedger;
let members: readonly [Registration, Registration];
let views: MemberView[];
let seq: number;
let clockMs: number;

/** Two members that agree, and are to be silent for a minute at most. */
beforeEach(async () => {
  prefix = `steady-${process.pid}-${prefixes++}`;
  present = new ScriptedLedger(redis, prefix);
  before = new Before(redis, prefix);
  members = [newcomer({ max: 12, staleAfterMs: 60_000 }), newcomer({ max: 12, staleAfterMs: 60_000 })];
  [seq, clockMs, views] = [1, START_MS, []];
  for (const member of members) views.push(accepted(await present.register("g", member, clockMs)));
  for (let i = 0; i < 4; i++) expect(await both()).toMatchObject({ poolSize: 2 });
  expect(views).toMatchObject([{ status: "agree" }, { status: "agree" }]);
});

async function sync(i: 0 | 1, ledger = present): Promise<MemberView> {
  const view = accepted(
    await ledger.sync("g", members[i], adopting(views[i] as MemberView, seq, { max: 12 }), clockMs),
  );
  views[i] = view;
  return view;
}

/** A fifth of a second later both report; what the second is told. */
async function both(ledger = present): Promise<MemberView> {
  [seq, clockMs] = [seq + 1, clockMs + 200];
  await sync(0, ledger);
  return sync(1, ledger);
}

const brief = (): Registration => newcomer({ max: 12, staleAfterMs: 1_000 });
const keys = (): readonly string[] => groupKeys(prefix, "g").keys;

/**
 * When a member that joins by this ledger, agrees, and then says nothing more is gone: how many milliseconds later.
 * @param meanwhile what else happens before it is silent
 */
async function goneAfter(ledger: ScriptedLedger, meanwhile: () => Promise<unknown> = async () => {}): Promise<number> {
  const member = brief();
  let view = accepted(await ledger.register("g", member, clockMs));
  for (let i = 0; i < 4; i++) {
    await both();
    view = accepted(await ledger.sync("g", member, adopting(view, seq, { max: 12 }), clockMs));
  }
  expect(await both()).toMatchObject({ status: "agree", poolSize: 3 });
  await meanwhile();
  const silentSinceMs = clockMs - 200;
  while (clockMs < silentSinceMs + 5_000) if ((await both()).poolSize === 2) return clockMs - silentSinceMs;
  throw new Error("it is still there after 5 s");
}

test("who joins with a shorter stale age goes when it is over", async () => {
  expect(await goneAfter(present)).toBe(1_000);
});

test("so does who joins by a version before", async () => {
  expect(await goneAfter(before)).toBe(1_000);
});

describe("a stale age is over to the microsecond, though the sorted set has whole milliseconds", () => {
  const versions = { "this version": () => present, "a version before": () => before };
  test.each(Object.keys(versions) as (keyof typeof versions)[])("of one that joined by %s", async (version) => {
    clockMs += 0.25;
    const member = brief();
    await versions[version]().register("g", member, clockMs);
    const silentSinceMs = clockMs;
    for (let i = 0; i < 4; i++) expect(await both()).toMatchObject({ poolSize: 3 });
    [seq, clockMs] = [seq + 1, silentSinceMs + 999.9];
    expect(await sync(0)).toMatchObject({ poolSize: 3 });
    clockMs = silentSinceMs + 1_000;
    expect(await sync(1)).toMatchObject({ poolSize: 2 });
  });
});

test("a version before removes nobody early whom this one has recorded", async () => {
  clockMs += 0.25;
  await present.register("g", brief(), clockMs);
  const silentSinceMs = clockMs;
  for (let i = 0; i < 4; i++) await both();
  [seq, clockMs] = [seq + 1, silentSinceMs + 999.9];
  expect(await sync(0, before)).toMatchObject({ poolSize: 3 });
  clockMs = silentSinceMs + 1_001;
  expect(await sync(1, before)).toMatchObject({ poolSize: 2 });
});

test("a version before goes on with the group, and this one after it", async () => {
  for (let i = 0; i < 3; i++) {
    expect(await both(before)).toMatchObject({ status: "agree", poolSize: 2, learning: false });
    expect(await both()).toMatchObject({ status: "agree", poolSize: 2, learning: false });
  }
});

describe("what somebody else writes where the first time stands keeps nobody", () => {
  test.each(["1e15", "0 / 0", "1 / 0", "'never'", "{}", "nil"])("%s", async (value) => {
    const after = await goneAfter(present, () =>
      redis.eval(
        `local freed = { cmsgpack.unpack(redis.call('HGET', KEYS[1], 'freed')) } freed[7] = ${value}
        redis.call('HSET', KEYS[1], 'freed', cmsgpack.pack(unpack(freed)))`,
        1,
        keys()[0] as string,
      ),
    );
    expect(after).toBe(1_000);
  });
});

test("what a later version keeps beside the group's row is left out, not carried over", async () => {
  const rows = keys()[0] as string;
  const more = `redis.call('HSET', KEYS[1], 'freed', redis.call('HGET', KEYS[1], 'freed') .. cmsgpack.pack('later'))`;
  await redis.eval(more, 1, rows);
  expect(await both()).toMatchObject({ status: "agree", poolSize: 2 });
  expect(await redis.eval("return #{ cmsgpack.unpack(redis.call('HGET', KEYS[1], 'freed')) }", 1, rows)).toBe(7);
});

test("the times of all members, deleted, are there again after the next report", async () => {
  await redis.del(keys()[1] as string);
  await both();
  expect(await redis.zcard(keys()[1] as string)).toBe(3);
  for (let i = 0; i < 3; i++) await both();
  expect(views).toMatchObject([
    { status: "agree", poolSize: 2, learning: false },
    { status: "agree", poolSize: 2, learning: false },
  ]);
});

test("a member that adopted the generation of the one that then took its id from it is fenced", async () => {
  const heir = newcomer({ id: members[0].id, max: 12, staleAfterMs: 60_000 });
  const first = await present.register("g", heir, clockMs);
  for (let i = 0; i < 2; i++) await both();
  await present.sync("g", heir, adopting(first, 2, { max: 12 }), clockMs);
  expect(await sync(1)).toMatchObject({ status: "agree", poolSize: 3 });
  const report = adopting(views[0] as MemberView, seq + 1, { max: 12 });
  expect(await present.sync("g", members[0], report, clockMs + 1)).toMatchObject({ status: "fenced" });
});

describe("a report that changes something is no heartbeat", () => {
  test.each<readonly [string, Partial<ReturnType<typeof adopting>>, Partial<MemberView>]>([
    ["another max", { max: 4 }, { capacity: 4, status: "disagree" }],
    ["fewer tokens", { held: 3 }, { status: "agree", held: 6 }],
    ["a larger pool seen", { poolSize: 7 }, { status: "agree", reportedPoolSize: 2 }],
    ["a want", { demand: { want: 2, syncMs: 1_000 } }, { demand: expect.anything() as never }],
  ])("%s", async (_, said, told) => {
    [seq, clockMs] = [seq + 1, clockMs + 200];
    const report = { ...adopting(views[0] as MemberView, seq, { max: 12 }), ...said };
    expect(await present.sync("g", members[0], report, clockMs)).toMatchObject(told);
  });

  test("nor is one that was said before", async () => {
    const stored = await redis.hgetBuffer(keys()[0] as string, `m:${members[0].incarnation}`);
    clockMs += 200;
    await sync(0);
    expect(await redis.hgetBuffer(keys()[0] as string, `m:${members[0].incarnation}`)).toEqual(stored);
  });
});

describe("a row that is written in pieces is the row that is packed whole", () => {
  const isWhole = `
    for _, field in ipairs({ 'group', 'freed', ARGV[1] }) do
      local row = redis.call('HGET', KEYS[1], field)
      if cmsgpack.pack(cmsgpack.unpack(row)) ~= row then return field end
    end
    return 'whole'`;

  test.each([1, 31, 32, 255, 256, 1_024])("for an id of %i bytes", async (length) => {
    const member = newcomer({ id: "x".repeat(length), max: 12, staleAfterMs: 60_000, level: 2.5 });
    let view = accepted(await present.register("of-one", member, clockMs));
    // A report's number, and a time, that begins to take more bytes than the last one.
    for (const next of [2, 3, 4, 127, 128, 255, 256, 65_535, 65_536, 2 ** 32 - 1, 2 ** 32, 2 ** 50]) {
      clockMs += next % 2 ? 200 : 0.25;
      const report = adopting(view, next, { max: 12, level: 2.5 });
      view = accepted(await present.sync("of-one", member, report, clockMs));
      expect(view, String(next)).toMatchObject({ status: "agree", poolSize: 1 });
      const [rows] = groupKeys(prefix, "of-one").keys;
      expect(await redis.eval(isWhole, 1, rows as string, `m:${member.incarnation}`), String(next)).toBe("whole");
      const [stored] = (await present.inspect("of-one", clockMs)).members;
      expect(stored, String(next)).toMatchObject({ id: member.id, level: 2.5, silentMs: 0 });
      await expect(present.sync("of-one", member, report, clockMs)).resolves.toMatchObject({ status: "agree" });
    }
  });
});
