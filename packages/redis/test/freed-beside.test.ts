import type { MemberView, Registration, Report } from "@dt/core";
import { type RedisServer, startRedis } from "@dt-tooling/backends";
import { accepted, adopting, newcomer } from "@dt-tooling/worlds/requests";
import { Redis } from "ioredis";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { groupKeys } from "../src/keys.ts";
import { ScriptedLedger } from "./support/scripted-ledger.ts";
import { versionBefore } from "./support/version-before.ts";

/**
 * Which free tokens may be used at once (R20) stands beside the group's row, where processes of the version before do
 * not look: what they do to the row, or somebody else to what is beside it, makes that not known, and nothing else.
 */

let server: RedisServer;
let redis: Redis;
let Before: Awaited<ReturnType<typeof versionBefore>>;

beforeAll(async () => {
  server = await startRedis();
  redis = new Redis(server.url, { autoResendUnfulfilledCommands: false });
  Before = await versionBefore({
    "table.lua": [
      ["fields[#fields + 1] = 'freed'", "fields[#fields + 1] = 'group'"],
      ["fields[#fields + 1] = freed_beside(g)", "fields[#fields + 1] = write_group(g)"],
      ["with_freed(g, rows[3])", "with_freed(g, false)"],
    ],
  });
});

afterAll(async () => {
  redis?.disconnect();
  await server?.stop();
});

const EPOCH = 4_000_000_000;
/** Half of that epoch is over. It is later than any real time, so that the server does not find the keys expired. */
const NOW_MS = EPOCH * 1_000 + 500;

let prefixes = 0;
let prefix: string;
let present: ScriptedLedger;
let members: readonly [Registration, Registration, Registration];
let view: MemberView;

/** The first of three members held all 10 tokens, and gave up 3 that it had not used. */
beforeEach(async () => {
  prefix = `beside-${process.pid}-${prefixes++}`;
  present = new ScriptedLedger(redis, prefix);
  members = [newcomer(), newcomer(), newcomer()];
  for (const member of members) view = accepted(await present.register("g", member, NOW_MS - 2_000));
  await reports(present, 0, 2, NOW_MS, { held: 7, use: { epoch: EPOCH, used: 7 } });
});

const reports = async (
  ledger: ScriptedLedger,
  i: 0 | 1 | 2,
  seq: number,
  clockMs: number,
  report: Pick<Report, "held" | "use">,
): Promise<MemberView> => accepted(await ledger.sync("g", members[i], adopting(view, seq, report), clockMs));

/** The second one is due 3 of what is free. */
const raised = () => reports(present, 1, 2, NOW_MS + 1, { held: 0 });

test("tokens that somebody gave up unused may be used at once", async () => {
  expect(await raised()).toMatchObject({ entitled: 3, early: 3, fromEpoch: EPOCH + 1 });
});

describe("after a process of the version before changed the row, nothing counts as known", () => {
  test.each<readonly [string, (before: ScriptedLedger) => Promise<unknown>]>([
    ["with a heartbeat", (before) => reports(before, 0, 3, NOW_MS + 0.5, { held: 7 })],
    ["with tokens given up at the same instant", (before) => reports(before, 0, 3, NOW_MS, { held: 5 })],
    [
      "with a farewell of nothing at the same instant",
      (before) => before.deregister("g", members[2], { seq: 2, level: null }, NOW_MS),
    ],
  ])("%s: what is raised starts with the next epoch", async (_, change) => {
    await change(new Before(redis, prefix));
    expect(await raised()).toMatchObject({ early: 0, fromEpoch: EPOCH + 1, learning: false });
  });

  test("and the group goes on: what is given up in the next epoch may be used at once again", async () => {
    await reports(new Before(redis, prefix), 0, 3, NOW_MS + 0.5, { held: 7 });
    expect(await raised()).toMatchObject({ held: 3, early: 0 });
    await reports(present, 0, 4, NOW_MS + 1_000, { held: 3, use: { epoch: EPOCH + 1, used: 3 } });
    const third = await reports(present, 2, 2, NOW_MS + 1_001, { held: 0 });
    expect(third).toMatchObject({ entitled: 3, early: 3, fromEpoch: EPOCH + 2 });
  });
});

describe("what somebody else writes beside the row counts as nothing known", () => {
  /** Changes what is there: a list of the row's time, generation, sum and adoptions, then `freedEpoch` and `spent`. */
  const edit = (lua: string) =>
    redis.eval(
      `local freed = { cmsgpack.unpack(redis.call('HGET', KEYS[1], 'freed')) } ${lua}
      redis.call('HSET', KEYS[1], 'freed', cmsgpack.pack(unpack(freed)))`,
      1,
      rows(),
    );
  const rows = (): string => groupKeys(prefix, "g").keys[0] as string;

  test.each<readonly [string, () => Promise<unknown>]>([
    ["a text", () => redis.hset(rows(), "freed", "hello")],
    ["nothing", () => redis.hset(rows(), "freed", "")],
    ["no field at all", () => redis.hdel(rows(), "freed")],
    ["an epoch that is a text", () => edit("freed[5] = 'x'")],
    ["an epoch that is no whole number", () => edit("freed[5] = freed[5] - 0.5")],
    ["a huge epoch", () => edit("freed[5] = 1e300")],
    ["fewer than no tokens spent", () => edit("freed[6] = -5")],
    ["NaN", () => edit("freed[6] = 0 / 0")],
    ["one value too few", () => edit("freed[6] = nil")],
  ])("%s", async (_, damage) => {
    await damage();
    const fair = await raised();
    expect(fair).toMatchObject({ entitled: 3, early: 0, fromEpoch: EPOCH + 1, learning: false });
    expect(fair.generation).toBe(view.generation);
  });

  test("and a sum that was wrong as well: nobody knows who used what was not on record", async () => {
    await redis.eval(
      `local row = { cmsgpack.unpack(redis.call('HGET', KEYS[1], ARGV[1])) } row[7] = 6
      redis.call('HSET', KEYS[1], ARGV[1], cmsgpack.pack(unpack(row)))`,
      1,
      rows(),
      `m:${members[0].incarnation}`,
    );
    await present.register("g", newcomer(), NOW_MS);
    expect(await raised()).toMatchObject({ early: 0, fromEpoch: EPOCH + 1 });
  });
});
