import { LivingGroups } from "@dt-tooling/simulator/ledger-operations";
import type { Redis } from "ioredis";
import { beforeEach, describe, expect, test } from "vitest";
import { groupKeys } from "../src/keys.ts";
import { openClient, ownServer } from "./support/keep.ts";
import { ScriptedLedger } from "./support/scripted-ledger.ts";

/**
 * The age of the data is no interval of the server's clock (R8): a jump ahead must not make data look old that were
 * lost a moment ago. On a real server, with a clock that the test sets.
 */

const STALE_MS = 10_000;
const TIMES = { staleAfterMs: STALE_MS, learningMs: 3_000 };
const JUMP_MS = 60_000;

let redis: Redis;
let groups: LivingGroups;
let prefix: string;

beforeEach(async () => {
  const server = await ownServer();
  redis = openClient(server.url);
  prefix = "jumps";
  groups = new LivingGroups(new ScriptedLedger(redis, prefix), 4_000_000_000_000.137, TIMES);
});

async function loseData(): Promise<void> {
  await redis.flushall();
}

/** Data that are old, of which groups have lived long. */
async function haveOldData(): Promise<void> {
  await groups.live("old", 30_000);
  expect(await groups.join("in-old-data")).toMatchObject({ learning: false, held: 10 });
}

describe("after a loss of data and a jump of the server's clock", () => {
  test.each([
    ["right after another group was made", 0, 0],
    ["while another group lives", 3_000, 0],
    ["after which another group has lived on", 3_000, 3_000],
    ["while another group lives, of members with a long stale age", 3_000, 3_000, 60_000],
  ])("a group learns: %s", async (_, beforeMs, afterMs, staleAfterMs = STALE_MS) => {
    await haveOldData();
    await loseData();
    await groups.learnsAfterJump(beforeMs, afterMs, staleAfterMs);
  });

  test("a group that is made once others lived for long enough does not learn", async () => {
    await haveOldData();
    await loseData();
    await groups.live("other", 1_000);
    groups.clockMs += JUMP_MS;
    await groups.live("another", 13_000);
    expect(await groups.join("g")).toMatchObject({ learning: true });
    await groups.live("a-third", 16_000);
    expect(await groups.join("h")).toMatchObject({ learning: false, held: 10 });
  });
});

describe("without a jump", () => {
  test("a new group does not learn where another one has lived for the stale age, learning and what a jump counts", async () => {
    await groups.live("other", STALE_MS + 3_000 + STALE_MS / 4 - 1_000);
    expect(await groups.join("early")).toMatchObject({ learning: true });
    groups.clockMs += 2_000;
    expect(await groups.join("late")).toMatchObject({ learning: false, held: 10 });
  });

  test("the age outlives the groups that prove it, and many groups of a short life prove it", async () => {
    await haveOldData();
    await redis.del(...groupKeys(prefix, "old").keys, ...groupKeys(prefix, "in-old-data").keys);
    expect(await groups.join("after")).toMatchObject({ learning: false });
    await loseData();
    let learned = 0;
    for (; learned < 100 && (await groups.join(`job-${learned}`)).learning; learned++) groups.clockMs += 900;
    // One second in 1,000 ms at most, and one less.
    expect(learned).toBe(Math.ceil((STALE_MS + 3_000 + 1_000) / 900));
  });

  test("a group from before the server last told that its data may be lost proves nothing", async () => {
    await groups.live("old", 60_000);
    await redis.del(`${prefix}:data`);
    expect(await groups.join("first")).toMatchObject({ learning: true });
    groups.clockMs += JUMP_MS;
    // It is among the set's again.
    await groups.live("old", 1_000);
    expect(await groups.join("second")).toMatchObject({ learning: true, held: 0 });
  });

  test("a damaged group proves nothing, and keeps no group from being made", async () => {
    await groups.live("other", 30_000);
    await redis.hset(groupKeys(prefix, "other").keys[0] as string, "group", "nonsense");
    expect(await groups.join("g")).toMatchObject({ learning: true });
  });
});

test("a group that is made costs at most eight commands more in old data than in a marker's first group", async () => {
  const commands = async (): Promise<number> => {
    const stats = await redis.info("commandstats");
    return [...stats.matchAll(/^cmdstat_([a-z|]+):calls=(\d+)/gm)].reduce((sum, [, name, calls]) => {
      return name === "info" || name === "eval" || name === "set" ? sum : sum + Number(calls);
    }, 0);
  };
  const costOf = async (group: string): Promise<number> => {
    const before = await commands();
    await groups.join(group);
    return (await commands()) - before;
  };
  const first = await costOf("first");
  for (let i = 0; i < 20; i++) await groups.join(`g-${i}`);
  expect((await costOf("last")) - first).toBeLessThanOrEqual(8);
});
