import type { Registration, Report, View } from "@dt/core";
import { accepted, adopting, newcomer } from "@dt-tooling/simulator/requests";
import { beforeAll, describe, expect, test } from "vitest";
import { groupKeys } from "../src/keys.ts";
import { compose } from "../src/script/scripts.ts";
import { redis, useServer } from "./support/own-server.ts";
import { ScriptedLedger, timedScripts } from "./support/scripted-ledger.ts";

/**
 * A sync that finds nothing to decide reads rows in a way of its own. Whatever somebody else wrote into one, it is told
 * what the general way tells, and leaves what that leaves.
 */

useServer();

/** The scripts in which `steady.lua` never answers. */
const general = {
  ...timedScripts,
  sync: compose(
    timedScripts.sync.text.replace("if ARGV[12] ~= '' or ARGV[15] ~= '' then return nil end", "do return nil end"),
  ),
};

const START_MS = 4_000_000_000_000;
const MAX = 12;
const intact = `steady-damage-${process.pid}`;
const members = [1, 2].map(() => newcomer({ max: MAX, staleAfterMs: 60_000 })) as [Registration, Registration];
let view: View;
let clockMs = START_MS;
let copies = 0;

/** Two members that agree. */
beforeAll(async () => {
  expect(general.sync.text).not.toBe(timedScripts.sync.text);
  const ledger = new ScriptedLedger(redis, intact);
  const views: View[] = [];
  for (const member of members) views.push(await ledger.register("g", member, clockMs));
  for (let seq = 2; seq < 6; seq++) {
    clockMs += 200;
    for (const [i, member] of members.entries()) {
      const report = adopting(accepted(views[i] as View), seq, { max: MAX });
      views[i] = await ledger.sync("g", member, report, clockMs);
    }
  }
  view = views[0] as View;
  expect(view).toMatchObject({ status: "agree", members: 2 });
});

const rowsOf = (prefix: string): string => groupKeys(prefix, "g").keys[0] as string;

/** Lua that changes the row in a field: `row` is the list that is stored, `length` how much of it. */
type Change = readonly [field: string, lua: string];

/** What the first member is told next, and what is in the group's keys then. */
async function nextSync(
  scripts: typeof timedScripts,
  changes: readonly Change[],
  said: Partial<Report> = {},
): Promise<unknown> {
  const prefix = `${intact}-${copies++}`;
  const copied = groupKeys(prefix, "g").keys;
  for (const [i, key] of groupKeys(intact, "g").keys.entries()) await redis.call("COPY", key, copied[i] as string);
  for (const [field, change] of changes)
    await redis.eval(
      `local row = { cmsgpack.unpack(redis.call('HGET', KEYS[1], ARGV[1])) }
      local length = #row
      ${change}
      redis.call('HSET', KEYS[1], ARGV[1], cmsgpack.pack(unpack(row, 1, length)))`,
      1,
      rowsOf(prefix),
      field,
    );
  const report = { ...adopting(accepted(view), 9, { max: MAX }), ...said };
  const told = await new ScriptedLedger(redis, prefix, scripts)
    .sync("g", members[0], report, clockMs + 200)
    .catch((error: Error) => error.message.replaceAll(prefix, "(prefix)"));
  const rows = await redis.hgetallBuffer(rowsOf(prefix));
  const sets = await Promise.all(copied.slice(1).map((key) => redis.zrange(key, "0", "-1", "WITHSCORES")));
  await redis.del(...copied);
  return { told, rows, sets };
}

async function expectTheSame(changes: readonly Change[], said?: Partial<Report>): Promise<void> {
  const what = `${changes.map(([, lua]) => lua)} ${JSON.stringify(said)}`;
  expect(await nextSync(timedScripts, changes, said), what).toEqual(await nextSync(general, changes, said));
}

const memberField = (): string => `m:${members[0].incarnation}`;

const rows: readonly (readonly [row: string, field: () => string, fields: number])[] = [
  ["the group's row", () => "group", 27],
  ["the member's row", memberField, 20],
];
const values = ["-1", "0.5", "2^53", "1e17", "0 / 0", "'text'", "'f2'", "'dt1'", "{}", "false", "true", "nil"];
const steps = [-100_000, -1_000, -300, -1, 1, 300, 1_000, 100_000];

describe.each(rows)("%s", (_, field, fields) => {
  const places = Array.from({ length: fields }, (_, i) => i + 1);

  test("is read as it is where nobody changed it", async () => {
    await expectTheSame([[field(), ""]]);
    expect(await nextSync(timedScripts, [])).toMatchObject({ told: { status: "agree", members: 2 } });
  });

  test.each(places)("with another value in place %i", async (place) => {
    const replaced = values.map((value) => `row[${place}] = ${value}`);
    const moved = steps.map(
      (step) => `if type(row[${place}]) == 'number' then row[${place}] = row[${place}] + ${step} end`,
    );
    for (const change of [...replaced, ...moved]) await expectTheSame([[field(), change]]);
  });

  test.each(["length = length + 1 row[length] = 1", "length = length - 1", "length = 1"])(
    "where its length is another: %s",
    async (change) => await expectTheSame([[field(), change]]),
  );
});

describe("a group's row that is sound by itself", () => {
  test.each([
    ["fewer tokens held than the member has", "row[5] = 2"],
    ["nobody has adopted the generation", "row[6] = 0"],
    ["one has adopted the generation", "row[6] = 1"],
    ["a later time", "row[2] = row[2] + 5000"],
    ["wants of members that are not there", "row[25] = cmsgpack.pack(3, 1)"],
    ["the same, and fewer tokens than members", "row[25] = cmsgpack.pack(3, 1) row[7] = 1"],
  ])("%s", async (_, change) => await expectTheSame([["group", change]]));

  test("a max that is less than the capacity, which the member has and reports", async () => {
    for (const max of [11, 6, 1]) await expectTheSame([[memberField(), `row[10] = ${max}`]], { max });
  });
});

describe("a report that says something else", () => {
  test.each<Partial<Report>>([
    { members: 1 },
    { members: 7 },
    { generation: 1 },
    { held: 0 },
    { held: 5 },
    { held: 7 },
    { max: 1 },
    { max: 13 },
    { level: 0 },
    { level: 2.5 },
    { seq: 1 },
    { seq: 5 },
    { observedMs: START_MS + 60_000 },
    { use: { epoch: START_MS / 1_000, used: 3 } },
    { demand: { want: 3, syncMs: 1_000 } },
    { activity: { used: 3, waiting: 2 } },
  ])("%j", async (said) => await expectTheSame([], said));
});
