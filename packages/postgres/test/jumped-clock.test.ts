import { LivingGroups } from "@dt-tooling/simulator/ledger-operations";
import { beforeEach, describe, expect, test } from "vitest";
import { admin, openPatientStore, schema, useOwnServer } from "./support/own-server.ts";
import { TestClock } from "./support/test-clock.ts";
import { timedGroups } from "./support/timed-groups.ts";

/**
 * The age of the data is no interval of the server's clock (R8): a jump ahead must not make data look old that were
 * lost a moment ago. On a real server, with a clock that the test sets.
 */

useOwnServer({ migrated: true });

const STALE_MS = 10_000;
const TIMES = { staleAfterMs: STALE_MS, learningMs: 3_000 };
const JUMP_MS = 60_000;

let groups: LivingGroups;

beforeEach(async () => {
  const clock = await TestClock.install(admin, schema);
  groups = new LivingGroups(timedGroups(openPatientStore(), clock), 1_800_000_000_000, TIMES);
  await clock.set(groups.clockMs);
});

async function loseData(): Promise<void> {
  const tables = ["dt_group", "dt_ledger", "dt_member", "dt_level"].map((table) => `${schema}.${table}`);
  await admin.run(`TRUNCATE ${tables.join(", ")}`);
}

/** Data that are old, of which groups have lived long; the loss is of this clock. */
async function haveOldData(): Promise<void> {
  await loseData();
  await groups.live("old", 30_000);
  expect(await groups.join("in-old-data")).toMatchObject({ learning: false, held: 10 });
}

describe("after a loss of data and a jump of the server's clock", () => {
  test.each([
    ["right after another group was made", 0, 0],
    ["while another group lives", 3_000, 0],
    ["after which another group has lived on", 2_000, 2_000],
  ])("a group learns: %s", async (_, beforeMs, afterMs) => {
    await haveOldData();
    await loseData();
    // After a loss a group learns for the longest stale age: shares of before are valid for three quarters of it.
    await groups.learnsAfterJump(beforeMs, afterMs);
  });

  test("a group that is made once others lived for long enough does not learn", async () => {
    await haveOldData();
    await loseData();
    await groups.live("other", 1_000);
    groups.clockMs += JUMP_MS;
    await groups.live("another", 10_000);
    expect(await groups.join("g")).toMatchObject({ learning: true });
    await groups.live("a-third", 13_000);
    expect(await groups.join("h")).toMatchObject({ learning: false, held: 10 });
  });
});

describe("without a jump", () => {
  test("the age outlives the groups that prove it, and many groups of a short life prove it", async () => {
    await haveOldData();
    await admin.run(`DELETE FROM ${schema}.dt_ledger; DELETE FROM ${schema}.dt_member; DELETE FROM ${schema}.dt_group`);
    expect(await groups.join("after")).toMatchObject({ learning: false });
    await loseData();
    let learned = 0;
    for (; learned < 100 && (await groups.join(`job-${learned}`)).learning; learned++) groups.clockMs += 900;
    // After a loss a group learns for the stale age. A second of each 1,000 ms at most counts, and one less.
    expect(learned).toBe(Math.ceil((STALE_MS + 1_000) / 900));
  });

  test("groups that are made at the same moment wait for nothing, and are all made", async () => {
    await haveOldData();
    const views = await Promise.all(Array.from({ length: 20 }, (_, i) => groups.join(`side-by-side-${i}`)));
    expect(views.map(({ learning }) => learning)).toEqual(views.map(() => false));
  });
});

test("in tables that were never emptied a group learns unless others have lived: the first one of a new schema does", async () => {
  await admin.run(`UPDATE ${schema}.dt_data SET since_ms = ${groups.clockMs - 10_000}`);
  expect(await groups.join("first")).toMatchObject({ learning: true, held: 0 });
  await groups.live("lives", 3_000 + STALE_MS / 4);
  expect(await groups.join("late")).toMatchObject({ learning: false, held: 10 });
});
