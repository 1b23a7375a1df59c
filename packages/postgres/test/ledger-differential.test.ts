import type { MemberView, Registration, Report, View } from "@dt/core";
import { type PostgresServer, startPostgres } from "@dt-tooling/backends";
import {
  Both,
  compareLedgers,
  compareMassDeath,
  compareTurns,
  REACHABLE,
  REACHABLE_LIMITS,
  type Reached,
  type TimedGroups,
} from "@dt-tooling/simulator/ledger-operations";
import { accepted, adopting, newcomer } from "@dt-tooling/simulator/requests";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type PostgresStore, postgresStore } from "../src/index.ts";
import { Admin } from "./support/admin.ts";
import { TestClock } from "./support/test-clock.ts";
import { timedGroups } from "./support/timed-groups.ts";
import { writeLimitRecord } from "./support/write-limit-record.ts";

/**
 * The store against the ledger of @dt/core: the same random operations at the same times, on a real server with a test
 * clock, must give the same views, refusals and snapshots, to the last digit of every time.
 */

let server: PostgresServer;
let admin: Admin;
let store: PostgresStore;
let groups: TimedGroups;
const schema = `differential_${process.pid}`;

beforeAll(async () => {
  // Thousands of commits, of which none must outlive the server.
  server = await startPostgres({ control: true, config: { fsync: "off" } });
  admin = new Admin(server.url);
  store = postgresStore({ connectionString: server.url, schema, timeout: "30s" });
  await store.inspect("g");
  groups = {
    ...timedGroups(store, await TestClock.install(admin, schema)),
    async setDataSince(ms) {
      await admin.rows(`UPDATE ${schema}.dt_data SET since_ms = $1, lived_ms = 1e15`, [ms]);
    },
    setLimit: (name, record) => writeLimitRecord(admin, schema, { kind: "group", name }, record),
    async compareRows(group, expected) {
      const { freedEpoch, spent, wants, hungryMs, pausedUntilMs } = { ...expected.group() };
      const turns = expected.members().map(({ odd, gaveUpMs, restUntilMs }) => [odd, gaveUpMs, restUntilMs]);
      expect(await rowsOf(group)).toEqual({ freedEpoch, spent, wants: wants?.flat(), hungryMs, pausedUntilMs, turns });
    },
  };
});

afterAll(async () => {
  await store?.close();
  await admin?.close();
  await server?.stop();
});

const OPERATIONS = 400;
const START_MS = 1_800_000_000_000;
const everReached = new Set<Reached>();
const seeds = Array.from({ length: 20 }, (_, i) => i + 1);

describe("the store and the ledger of @dt/core agree", () => {
  test.each(seeds)("over 400 random operations, seed %i", async (seed) => {
    const options = { seed, operations: OPERATIONS, startMs: START_MS };
    for (const what of await compareLedgers(groups, options)) everReached.add(what);
  });

  test("and every kind of answer was among them", () => {
    expect([...everReached].sort()).toEqual([...REACHABLE, ...REACHABLE_LIMITS].sort());
  });

  test("a new group uses its tokens at once when all epochs are over in which lost ones can have been used", async () => {
    const expected = [
      [1_999, { held: 10, early: 0, fromEpoch: START_MS / 1_000 + 3 }],
      [2_000, { held: 10, early: 10, fromEpoch: 1 }],
    ] as const;
    for (const [ageMs, start] of expected) {
      const both = new Both(groups, `in data of ${ageMs} ms`);
      await both.setDataSince(START_MS);
      const registration = newcomer({ learningMs: 500, clockErrorMs: 250 });
      expect(await both.register(registration, START_MS + ageMs)).toMatchObject(start);
    }
  });

  test("a level that is left again is remembered from then on", async () => {
    const both = new Both(groups, "left again");
    const [first, second] = [1, 2].map((boot) =>
      newcomer({ id: "p", incarnation: `boot ${boot}`, resumeWithinMs: 5_000, staleAfterMs: 60_000 }),
    ) as [Registration, Registration];
    await both.setDataSince(0);
    for (const member of [first, second]) await both.register(member, START_MS);
    await both.deregister(first, { seq: 2, level: 1 }, START_MS + 200);
    await both.deregister(second, { seq: 2, level: 2 }, START_MS + 4_000);
    const view = await both.register(newcomer({ id: "p", incarnation: "boot 3" }), START_MS + 8_000);
    expect(view).toMatchObject({ resumeLevel: 2 });
  });

  test("a member that had an odd token, and shares evenly for a while, has none afterwards (R21, R23)", async () => {
    const both = new Both(groups, "odd");
    const demand = { want: 5, syncMs: 1_000 };
    const [first, second] = [1, 2].map(() => newcomer({ max: 5, staleAfterMs: 60_000, demand })) as [
      Registration,
      Registration,
    ];
    const views = new Map<Registration, View>();
    await both.setDataSince(0);
    for (const member of [first, second]) views.set(member, await both.register(member, START_MS));
    let seq = 1;
    const sync = async (member: Registration, ms: number, change: Partial<Report>): Promise<MemberView> => {
      const report = adopting(views.get(member) as View, ++seq, change);
      const view = await both.sync(member, report, START_MS + ms, `after ${ms} ms`);
      views.set(member, view);
      return accepted(view);
    };
    await sync(first, 500, { held: 2, demand });
    await sync(second, 1_000, { held: 2, demand });
    // Nobody is hungry any more.
    expect(await sync(first, 6_500, { held: 2, demand })).toMatchObject({ held: 3, demand: { odd: true } });
    await sync(first, 7_000, { held: 3 });
    expect(await sync(first, 7_500, { held: 3, demand })).toMatchObject({ held: 3, demand: { odd: false } });
    await sync(first, 8_000, { held: 2, demand });
  });

  test.each([
    [2, 1, 1],
    [5, 3, 2],
    [12, 10, 1],
    [12, 4, 11],
  ])(
    "over 300 reports of %i members that take turns at %i tokens, %i by demand, the others evenly",
    (size, max, demanding) => compareTurns(groups, { size, max, demanding, reports: 300, startMs: START_MS }),
  );

  test("when 1,150 members die within 72 ms: 1,000 go with an operation, and their levels are remembered", {
    timeout: 120_000,
  }, async () => {
    // One after the other, since the contract leaves open who of those that go stale at the same instant is removed
    // first.
    const sizes = await compareMassDeath(groups, START_MS, "mass death", (place) => 8_000 + place / 16);
    expect(sizes).toEqual([1_151, 1_151, 1_151, 1_150, 150, 1, 1]);
  });
});

/** What the group's rows hold of freed tokens, of what members want and of their turns. */
async function rowsOf(group: string): Promise<unknown> {
  const [row] = await admin.rows(
    `SELECT freed_epoch::float8 AS "freedEpoch", spent::float8 AS spent, wants::float8[] AS wants, hungry_ms AS "hungryMs",
       paused_until_ms AS "pausedUntilMs",
       (SELECT coalesce(json_agg(json_build_array(odd, gave_up_ms, rest_until_ms) ORDER BY rank), '[]')
        FROM ${schema}.dt_member m WHERE m.group_id = l.group_id) AS turns
     FROM ${schema}.dt_ledger l WHERE group_id = (SELECT id FROM ${schema}.dt_group WHERE name = $1)`,
    [group],
  );
  return row;
}
