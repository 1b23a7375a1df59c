import type { MemberView, Registration } from "@dt/core";
import { accepted, adopting, newcomer } from "@dt-tooling/simulator/requests";
import { beforeEach, describe, expect, test } from "vitest";
import { groupKeys } from "../src/keys.ts";
import { redis, useServer } from "./support/own-server.ts";
import { ScriptedLedger } from "./support/scripted-ledger.ts";

/**
 * Nearly every sync finds nothing to decide, and does not look for stale members before the first one's time is over,
 * which the group's row has. Whatever others do to the group, stale members go when they should, and what was deleted
 * is found.
 */

useServer();

/** How far the places of members in the sorted set are apart that may be silent for twice as long. */
const GRID_MS = 4_096;

/** Later than any real time, so that the server does not find the keys expired. */
const START_MS = 4_000_000_000_000;

let prefixes = 0;
let prefix: string;
let ledger: ScriptedLedger;
let members: readonly [Registration, Registration];
let views: MemberView[];
let seq: number;
let clockMs: number;

/** Two members that agree, and are to be silent for a minute at most. */
beforeEach(async () => {
  prefix = `steady-${process.pid}-${prefixes++}`;
  ledger = new ScriptedLedger(redis, prefix);
  members = [newcomer({ max: 12, staleAfterMs: 60_000 }), newcomer({ max: 12, staleAfterMs: 60_000 })];
  [seq, clockMs, views] = [1, START_MS, []];
  for (const member of members) views.push(accepted(await ledger.register("g", member, clockMs)));
  for (let i = 0; i < 4; i++) expect(await both()).toMatchObject({ members: 2 });
  expect(views).toMatchObject([{ status: "agree" }, { status: "agree" }]);
});

async function sync(i: 0 | 1): Promise<MemberView> {
  const view = accepted(
    await ledger.sync("g", members[i], adopting(views[i] as MemberView, seq, { max: 12 }), clockMs),
  );
  views[i] = view;
  return view;
}

/** A fifth of a second later both report; what the second is told. */
async function both(): Promise<MemberView> {
  [seq, clockMs] = [seq + 1, clockMs + 200];
  await sync(0);
  return sync(1);
}

const silentFor = (staleAfterMs: number): Registration => newcomer({ max: 12, staleAfterMs });
const keys = (): readonly string[] => groupKeys(prefix, "g").keys;

/** Both report until it is this late, or a little less. */
async function bothUntil(ms: number): Promise<void> {
  while (clockMs + 200 < ms) await both();
}

/**
 * When a member that joins, agrees, and then says nothing more is gone: how many milliseconds later.
 * @param meanwhile what else happens before it is silent
 */
async function goneAfter(staleAfterMs: number, meanwhile: () => Promise<unknown> = async () => {}): Promise<number> {
  const member = silentFor(staleAfterMs);
  let view = accepted(await ledger.register("g", member, clockMs));
  for (let i = 0; i < 4; i++) {
    await both();
    view = accepted(await ledger.sync("g", member, adopting(view, seq, { max: 12 }), clockMs));
  }
  expect(await both()).toMatchObject({ status: "agree", members: 3 });
  await meanwhile();
  const silentSinceMs = clockMs - 200;
  while (clockMs < silentSinceMs + staleAfterMs + 5_000)
    if ((await both()).members === 2) return clockMs - silentSinceMs;
  throw new Error("it is still there 5 s after its time");
}

/** Of the first every sync moves the member in the sorted set, of the others one in so many. */
const staleAges = [1_000, 8_192, 10_000];

test.each(staleAges)("who joins with a shorter stale age, of %i ms, goes when it is over", async (staleAfterMs) => {
  expect(await goneAfter(staleAfterMs)).toBe(Math.ceil(staleAfterMs / 200) * 200);
});

test.each(staleAges)("a stale age of %i ms is over to the microsecond, whatever the sorted set has", async (age) => {
  for (const phaseMs of [0, 0.25, 1_000.25, 2_096, 3_096.75]) {
    clockMs += phaseMs;
    await ledger.register("g", silentFor(age), clockMs);
    const silentSinceMs = clockMs;
    await bothUntil(silentSinceMs + age - 0.1);
    [seq, clockMs] = [seq + 1, silentSinceMs + age - 0.1];
    expect(await sync(0), String(phaseMs)).toMatchObject({ members: 3 });
    clockMs = silentSinceMs + age;
    expect(await sync(1), String(phaseMs)).toMatchObject({ members: 2 });
  }
});

test.each(staleAges)(
  "a stale age of %i ms may be over within a millisecond before a step of the grid",
  async (staleAfterMs) => {
    const repairs = await ran("unlink");
    const overMs = Math.ceil((clockMs + staleAfterMs) / GRID_MS) * GRID_MS + GRID_MS - 0.5;
    await bothUntil(overMs - staleAfterMs);
    clockMs = overMs - staleAfterMs;
    await ledger.register("g", silentFor(staleAfterMs), clockMs);
    await bothUntil(overMs);
    [seq, clockMs] = [seq + 1, overMs];
    expect(await sync(1)).toMatchObject({ members: 2, learning: false });
    // A repair makes the sorted sets anew.
    expect(await ran("unlink")).toBe(repairs);
  },
);

/** How often the server has run a command, those inside scripts included. */
async function ran(command: "zadd" | "hget" | "hmget" | "zrangebyscore" | "unlink"): Promise<number> {
  return Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(await redis.info("commandstats"))?.[1] ?? 0);
}

test("of syncs a second apart one in four moves the member in the sorted set", async () => {
  const before = await ran("zadd");
  for (let i = 0; i < 41; i++) {
    [seq, clockMs] = [seq + 1, clockMs + 1_000];
    expect(await sync(0)).toMatchObject({ status: "agree" });
  }
  // 41 s have ten steps of 4,096 ms.
  expect((await ran("zadd")) - before).toBe(10);
});

test("one that is silent is looked at once before its time is over, however many others report", async () => {
  const silent = Array.from({ length: 20 }, () => silentFor(10_000));
  // When the first one goes, it is seen where the others stand, and not when their time is over.
  for (const member of [silentFor(1_000), ...silent]) await ledger.register("g", member, clockMs);
  const overMs = clockMs + 10_000;
  await bothUntil(clockMs + 1_400);
  const reads = async (): Promise<number> => (await ran("hmget")) + (await ran("hget"));
  const [readBefore, looksBefore] = [await reads(), await ran("zrangebyscore")];
  let syncs = 0;
  while (clockMs + 200 < overMs) {
    expect(await both()).toMatchObject({ members: 22 });
    syncs += 2;
  }
  // A sync of a group that does not agree yet reads the rows twice: once in vain.
  const read = (await reads()) - readBefore;
  expect(read).toBeLessThanOrEqual(2 * syncs + silent.length);
  expect(read).toBeGreaterThanOrEqual(syncs + silent.length);
  // In one look, which is two commands.
  expect((await ran("zrangebyscore")) - looksBefore).toBe(2);
});

describe("what somebody else writes where the first time stands keeps nobody", () => {
  test.each(["0", "1e15", "1e16", "false"])("%s", async (value) => {
    const after = await goneAfter(1_000, () =>
      redis.eval(
        `local row = { cmsgpack.unpack(redis.call('HGET', KEYS[1], 'group')) } row[26] = ${value}
        redis.call('HSET', KEYS[1], 'group', cmsgpack.pack(unpack(row)))`,
        1,
        keys()[0] as string,
      ),
    );
    expect(after).toBe(1_000);
  });
});

describe("the times of all members, deleted,", () => {
  const deleted = (): Promise<number> => redis.del(keys()[1] as string);

  test("are there again after the first report that moves a member", async () => {
    await deleted();
    const deletedMs = clockMs;
    while ((await redis.zcard(keys()[1] as string)) === 0) await both();
    expect(await redis.zcard(keys()[1] as string)).toBe(3);
    expect(clockMs - deletedMs).toBeLessThanOrEqual(GRID_MS);
    for (let i = 0; i < 3; i++) await both();
    expect(views).toMatchObject([
      { status: "agree", members: 2, learning: false },
      { status: "agree", members: 2, learning: false },
    ]);
  });

  test.each(staleAges)("keep nobody: who may be silent for %i ms goes when that is over", async (staleAfterMs) => {
    expect(await goneAfter(staleAfterMs, deleted)).toBe(Math.ceil(staleAfterMs / 200) * 200);
  });
});

test("a member that adopted the generation of the one that then took its id from it is fenced", async () => {
  const heir = newcomer({ id: members[0].id, max: 12, staleAfterMs: 60_000 });
  const first = await ledger.register("g", heir, clockMs);
  for (let i = 0; i < 2; i++) await both();
  await ledger.sync("g", heir, adopting(first, 2, { max: 12 }), clockMs);
  expect(await sync(1)).toMatchObject({ status: "agree", members: 3 });
  const report = adopting(views[0] as MemberView, seq + 1, { max: 12 });
  expect(await ledger.sync("g", members[0], report, clockMs + 1)).toMatchObject({ status: "fenced" });
});

describe("a report that changes something is no heartbeat", () => {
  test.each<readonly [string, Partial<ReturnType<typeof adopting>>, Partial<MemberView>]>([
    ["another max", { max: 4 }, { capacity: 4, status: "disagree" }],
    ["fewer tokens", { held: 3 }, { status: "agree", held: 6 }],
    ["a larger pool seen", { members: 7 }, { status: "agree", reportedMembers: 2 }],
    ["a want", { demand: { want: 2, syncMs: 1_000 } }, { demand: expect.anything() as never }],
  ])("%s", async (_, said, told) => {
    [seq, clockMs] = [seq + 1, clockMs + 200];
    const report = { ...adopting(views[0] as MemberView, seq, { max: 12 }), ...said };
    expect(await ledger.sync("g", members[0], report, clockMs)).toMatchObject(told);
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
    for _, field in ipairs({ 'group', ARGV[1] }) do
      local row = redis.call('HGET', KEYS[1], field)
      if cmsgpack.pack(cmsgpack.unpack(row)) ~= row then return field end
    end
    return 'whole'`;

  test.each([1, 31, 32, 255, 256, 1_024])("for an id of %i bytes", async (length) => {
    const member = newcomer({ id: "x".repeat(length), max: 12, staleAfterMs: 60_000, level: 2.5 });
    let view = accepted(await ledger.register("of-one", member, clockMs));
    // A report's number, and a time, that begins to take more bytes than the last one.
    for (const next of [2, 3, 4, 127, 128, 255, 256, 65_535, 65_536, 2 ** 32 - 1, 2 ** 32, 2 ** 50]) {
      clockMs += next % 2 ? 200 : 0.25;
      const report = adopting(view, next, { max: 12, level: 2.5 });
      view = accepted(await ledger.sync("of-one", member, report, clockMs));
      expect(view, String(next)).toMatchObject({ status: "agree", members: 1 });
      const [rows] = groupKeys(prefix, "of-one").keys;
      expect(await redis.eval(isWhole, 1, rows as string, `m:${member.incarnation}`), String(next)).toBe("whole");
      const [stored] = (await ledger.inspect("of-one", clockMs)).members;
      expect(stored, String(next)).toMatchObject({ id: member.id, level: 2.5, silentMs: 0 });
      await expect(ledger.sync("of-one", member, report, clockMs)).resolves.toMatchObject({ status: "agree" });
    }
  });
});
