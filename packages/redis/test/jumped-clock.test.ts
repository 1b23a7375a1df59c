import type { MemberView, Registration } from "@dt/core";
import { accepted, adopting, newcomer } from "@dt-tooling/worlds/requests";
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
let ledger: ScriptedLedger;
let clockMs: number;
let prefix: string;

beforeEach(async () => {
  const server = await ownServer();
  redis = openClient(server.url);
  prefix = "jumps";
  ledger = new ScriptedLedger(redis, prefix);
  clockMs = 4_000_000_000_000.137;
});

async function join(group: string, changes: Partial<Registration> = {}): Promise<MemberView> {
  return accepted(await ledger.register(group, newcomer({ ...TIMES, ...changes }), clockMs));
}

/** A member joins; returns what makes it sync every second, for so long. */
async function member(group: string, changes: Partial<Registration> = {}): Promise<(forMs: number) => Promise<void>> {
  const registration = newcomer({ ...TIMES, ...changes });
  let view = await ledger.register(group, registration, clockMs);
  let { seq } = registration;
  return async (forMs) => {
    for (const endMs = clockMs + forMs; clockMs < endMs; ) {
      clockMs += 1_000;
      seq += 1;
      view = await ledger.sync(group, registration, adopting(view, seq), clockMs);
    }
  };
}

const live = async (group: string, forMs: number): Promise<void> => (await member(group))(forMs);

async function loseData(): Promise<void> {
  await redis.flushall();
}

/** Data that are old, of which groups have lived long. */
async function haveOldData(): Promise<void> {
  await live("old", 30_000);
  expect(await join("in-old-data")).toMatchObject({ learning: false, held: 10 });
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
    const sync = await member("other", { staleAfterMs });
    await sync(beforeMs);
    clockMs += JUMP_MS;
    await sync(afterMs);
    const first = await join("g");
    expect(first).toMatchObject({ held: 0, learning: true, early: 0 });
    const survivor = await join("g", { rejoin: true, claim: 10, seq: 100 });
    expect(survivor.held).toBe(10);
    // Survivors are heard for the whole learning period.
    clockMs += 2_400;
    expect(await join("g")).toMatchObject({ held: 0, learning: true });
  });

  test("a group that is made once others lived for long enough does not learn", async () => {
    await haveOldData();
    await loseData();
    await live("other", 1_000);
    clockMs += JUMP_MS;
    await live("another", 13_000);
    expect(await join("g")).toMatchObject({ learning: true });
    await live("a-third", 16_000);
    expect(await join("h")).toMatchObject({ learning: false, held: 10 });
  });
});

describe("without a jump", () => {
  test("a new group does not learn where another one has lived for the stale age, learning and what a jump counts", async () => {
    await live("other", STALE_MS + 3_000 + STALE_MS / 4 - 1_000);
    expect(await join("early")).toMatchObject({ learning: true });
    clockMs += 2_000;
    expect(await join("late")).toMatchObject({ learning: false, held: 10 });
  });

  test("the age outlives the groups that prove it, and many groups of a short life prove it", async () => {
    await haveOldData();
    await redis.del(...groupKeys(prefix, "old").keys, ...groupKeys(prefix, "in-old-data").keys);
    expect(await join("after")).toMatchObject({ learning: false });
    await loseData();
    let learned = 0;
    for (; learned < 100 && (await join(`job-${learned}`)).learning; learned++) clockMs += 900;
    // One second in 1,000 ms at most, and one less.
    expect(learned).toBe(Math.ceil((STALE_MS + 3_000 + 1_000) / 900));
  });

  test("a group from before the server last told that its data may be lost proves nothing", async () => {
    await live("old", 60_000);
    await redis.del(`${prefix}:data`);
    expect(await join("first")).toMatchObject({ learning: true });
    clockMs += JUMP_MS;
    // It is among the set's again.
    await live("old", 1_000);
    expect(await join("second")).toMatchObject({ learning: true, held: 0 });
  });

  test("a damaged group proves nothing, and keeps no group from being made", async () => {
    await live("other", 30_000);
    await redis.hset(groupKeys(prefix, "other").keys[0] as string, "group", "nonsense");
    expect(await join("g")).toMatchObject({ learning: true });
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
    await join(group);
    return (await commands()) - before;
  };
  const first = await costOf("first");
  for (let i = 0; i < 20; i++) await join(`g-${i}`);
  expect((await costOf("last")) - first).toBeLessThanOrEqual(8);
});
