import { randomBytes } from "node:crypto";
import type { MemberView, Registration, Report } from "@dt/core";
import { until } from "@dt-tooling/backends";
import { accepted, adopting, newcomer } from "@dt-tooling/simulator/requests";
import { beforeEach, describe, expect, test } from "vitest";
import type { PostgresStore } from "../src/index.ts";
import { sync } from "../src/statement/statements.ts";
import { Admin } from "./support/admin.ts";
import { commitModes } from "./support/commit-modes.ts";
import { admin, openStore, schema, server, useOwnServer } from "./support/own-server.ts";
import { TestClock } from "./support/test-clock.ts";

/**
 * What a sync costs, from the server's own counters: statements, pages and tuples, not times, which the benchmarks
 * measure.
 */

// Counters are the whole server's: it must be ours alone. No autovacuum, so that nobody else touches the tables.
// Nothing must outlive the server.
useOwnServer({ config: { shared_preload_libraries: "pg_stat_statements", autovacuum: "off", fsync: "off" } });

let store: PostgresStore;

beforeEach(async () => {
  await admin.run("CREATE EXTENSION IF NOT EXISTS pg_stat_statements");
  store = openStore({ timeout: "20s" });
  await store.inspect("g");
});

/** Members of one group, each with its newest view. They agree, unless they share by demand. */
async function group(
  size: number,
  overrides: () => Partial<Registration> = () => ({}),
  name = "g",
): Promise<Syncing[]> {
  const registrations = Array.from({ length: size }, () =>
    newcomer({ max: 2 * size, staleAfterMs: 600_000, ...overrides() }),
  );
  let view: MemberView | undefined;
  for (const registration of registrations) view = accepted(await store.register(name, registration));
  const members = registrations.map((registration) => ({ name, registration, view: view as MemberView, seq: 1 }));
  for (let round = 0; round < 3; round++) for (const member of members) await beat(member);
  expect(members.every(({ view }) => view.status === "agree" || view.demand)).toBe(true);
  return members;
}

interface Syncing {
  readonly name: string;
  readonly registration: Registration;
  view: MemberView;
  seq: number;
}

async function beat(member: Syncing): Promise<void> {
  const report = nextReport(member);
  member.view = accepted(await store.sync(member.name, member.registration, report));
}

function nextReport(member: Syncing): Report {
  const { demand } = member.registration;
  member.seq += 1;
  return adopting(member.view, member.seq, demand && { demand });
}

/** Pages that one sync looks at, in whatever table or index. */
async function pages(member: Syncing, connection: Admin): Promise<number> {
  const report = nextReport(member);
  const delivery = { schema, waitMs: 1_000, channel: null };
  const text = sync(member.name, member.registration, report).text(delivery);
  const [row] = await connection.rows(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`);
  const [{ Plan: plan }] = (row as { "QUERY PLAN": [{ Plan: Record<string, number> }] })["QUERY PLAN"];
  return (plan["Shared Hit Blocks"] as number) + (plan["Shared Read Blocks"] as number);
}

/** @param times how often each member syncs, the fewest pages of which count */
async function medianPages(members: readonly Syncing[], connection = admin, times = 1): Promise<number> {
  // A connection plans its first statements, which reads the catalog; from the sixth time on it keeps a plan.
  for (let i = 0; i < 7; i++) await pages(members[0] as Syncing, connection);
  const counts: number[] = [];
  for (const member of members) {
    const found: number[] = [];
    for (let i = 0; i < times; i++) found.push(await pages(member, connection));
    counts.push(Math.min(...found));
  }
  return counts.sort((one, other) => one - other)[Math.floor(counts.length / 2)] as number;
}

interface TableCounters {
  readonly scans: number;
  readonly updates: number;
  readonly hot: number;
}

/**
 * Counters of a table. A process of the server hands its own on when a statement ends, once a second at most, and what
 * is left ten seconds after its last statement (PGSTAT_IDLE_INTERVAL).
 */
async function counters(table: string, updates: number): Promise<TableCounters> {
  return until(`${updates} updates of ${table} are counted`, 30_000, async () => {
    const [row] = await admin.rows(
      `SELECT seq_scan::float8 AS scans, n_tup_upd::float8 AS updates, n_tup_hot_upd::float8 AS hot
       FROM pg_stat_user_tables WHERE schemaname = $1 AND relname = $2`,
      [schema, table],
    );
    const found = row as unknown as TableCounters;
    return found.updates >= updates && found;
  });
}

describe("a sync", () => {
  test("is one statement, and the store sends no other", async () => {
    const members = await group(20);
    await admin.rows("SELECT pg_stat_statements_reset()");
    for (let round = 0; round < 10; round++) for (const member of members) await beat(member);
    const sent = await admin.rows(
      "SELECT calls::int, query FROM pg_stat_statements WHERE query NOT LIKE '%pg_stat_statements%'",
    );
    expect(sent).toEqual([{ calls: 200, query: expect.stringContaining(`FROM "${schema}".dt_sync(`) }]);
  });

  test("among 600 members looks at hardly more pages than among 10, and scans no table", async () => {
    // What the planner knows stays behind what is there, as it does for a minute in production.
    await group(1, undefined, "first");
    await admin.run(`ANALYZE ${schema}.dt_member, ${schema}.dt_ledger, ${schema}.dt_group, ${schema}.dt_boot`);
    const few = await medianPages((await group(10)).slice(0, 9));
    // Long names make the index by name larger than the others: to a planner that takes the group for small, any other
    // looks cheaper.
    const longNames = (): Partial<Registration> => ({ incarnation: randomBytes(450).toString("hex") });
    const many = await group(600, longNames, "many");
    const sample = many.filter((_, i) => i % 60 === 7);
    // Indexes are a level or two deeper. A new connection makes new plans.
    const connection = new Admin(server.url);
    expect(await medianPages(sample, connection)).toBeLessThan(few + 15);
    await connection.close();
    const tables = ["dt_member", "dt_ledger", "dt_group", "dt_boot"];
    const scans = async (): Promise<number[]> =>
      Promise.all(tables.map(async (table) => (await counters(table, 0)).scans));
    const before = await scans();
    const { updates } = await counters("dt_member", 600 * 4);
    for (const member of sample) await beat(member);
    await counters("dt_member", updates + sample.length);
    expect(await scans()).toEqual(before);
  });

  test("of a throttle, by demand or evenly, never looks at the queue of semaphores", async () => {
    const evenly = await group(20);
    const byDemand = await group(20, () => ({ demand: { want: 3, syncMs: 1_000 } }), "by demand");
    const looks = async (): Promise<number> =>
      admin.number(
        `SELECT seq_scan + coalesce(idx_scan, 0) FROM pg_stat_user_tables
         WHERE schemaname = '${schema}' AND relname = 'dt_slot'`,
      );
    // What made the groups looked there, and is counted by then.
    const { updates } = await counters("dt_member", 160);
    const before = await looks();
    for (let round = 0; round < 3; round++) for (const member of [...evenly, ...byDemand]) await beat(member);
    await counters("dt_member", updates + 120);
    expect(await looks()).toBe(before);
  });

  test("changes no index: its updates are HOT, but for one per stale age", async () => {
    const clock = await TestClock.install(admin, schema);
    let nowMs = 1_800_000_000_000;
    await clock.set(nowMs);
    const members = await group(20, () => ({ staleAfterMs: 10_000 }));
    const before = { member: await counters("dt_member", 80), ledger: await counters("dt_ledger", 80) };
    const rounds = 50;
    for (let round = 0; round < rounds; round++) {
      nowMs += 1_000;
      await clock.set(nowMs);
      for (const member of members) await beat(member);
    }
    const heartbeats = rounds * members.length;
    const member = await counters("dt_member", before.member.updates + heartbeats);
    const ledger = await counters("dt_ledger", before.ledger.updates + heartbeats);
    // A member's place in the index of due members moves once in 10 s: a tenth of the heartbeats, in updates of their
    // own.
    const cold = member.updates - member.hot - (before.member.updates - before.member.hot);
    expect(cold).toBeGreaterThan(0.08 * heartbeats);
    expect(cold).toBeLessThan(0.13 * heartbeats);
    expect(member.updates - before.member.updates - heartbeats).toBeLessThan(0.13 * heartbeats);
    // The group's row changes its turn with every 256th write.
    expect(ledger.updates - before.ledger.updates).toBe(heartbeats);
    expect(ledger.updates - ledger.hot - (before.ledger.updates - before.ledger.hot)).toBeLessThan(0.02 * heartbeats);
  });

  test("of one that shares by demand reads no list of members either, however long ago the last of them came", async () => {
    const clock = await TestClock.install(admin, schema);
    let nowMs = 1_800_000_000_000;
    await clock.set(nowMs);
    const wanting = (): Partial<Registration> => ({
      demand: { want: Math.floor(Math.random() * 200), syncMs: 1_000 },
      staleAfterMs: 10_000,
    });
    const evenly = await medianPages((await group(10)).slice(0, 9));
    const groups = [await group(10, wanting, "few"), await group(300, wanting, "many")];
    // Two stale ages on, nobody would expect that members have still not adopted what they were told.
    for (let round = 0; round < 6; round++) {
      nowMs += 4_000;
      await clock.set(nowMs);
      for (const member of groups.flat()) await beat(member);
    }
    const connection = new Admin(server.url);
    const most: number[] = [];
    for (const members of groups) {
      for (let i = 0; i < 7; i++) await pages(members[0] as Syncing, connection);
      let found = 0;
      for (let i = 0; i < 40; i++) found = Math.max(found, await pages(members[i % 5] as Syncing, connection));
      most.push(found);
    }
    await connection.close();
    expect(Math.max(...most)).toBeLessThan(evenly + 15);
  });

  test("stays as it is while somebody keeps an old transaction open", async () => {
    const clock = await TestClock.install(admin, schema);
    let nowMs = 1_800_000_000_000;
    await clock.set(nowMs);
    const members = await group(50, () => ({ staleAfterMs: 10_000 }));
    const before = await medianPages(members.slice(0, 9));
    await using _held = await admin.hold(
      "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SELECT 1 FROM pg_class LIMIT 1",
    );
    for (let round = 0; round < 100; round++) {
      nowMs += 1_000;
      await clock.set(nowMs);
      for (const member of members) await beat(member);
    }
    // 5,000 versions of the group's row are kept, and 100 of every member's.
    expect(await admin.number(`SELECT pg_relation_size('${schema}.dt_ledger') / 8192`)).toBeGreaterThan(100);
    // A row whose page is full moves to another one, which reads more: its unique indexes look at every version. Of two
    // heartbeats one finds room.
    expect(await medianPages(members.slice(0, 9), admin, 2)).toBeLessThan(before + 25);
  });

  test("writes little to the log, and does not wait for the disk unless it raises somebody", async () => {
    const [member] = (await group(1)) as [Syncing];
    const modes = (act: () => Promise<void>): Promise<string[]> => commitModes(admin, schema, act);
    expect(await modes(() => beat(member))).toEqual(["off"]);
    const other = newcomer({ max: 2 });
    const joining = await modes(async () => {
      await store.register("g", other);
    });
    // The group is there already: one write.
    expect(joining).toEqual(["on"]);
    // It hears of the newcomer, and then gives up its share.
    for (let round = 0; round < 2; round++) expect(await modes(() => beat(member))).toEqual(["off"]);
    // The newcomer becomes the holder of its id, and is raised.
    expect(
      await modes(async () => {
        const view = await store.sync("g", other, adopting(member.view, 2, { held: 0 }));
        expect(accepted(view).held).toBe(1);
      }),
    ).toEqual(["on"]);
    await admin.run("ALTER ROLE postgres SET synchronous_commit = off");
    await admin.rows("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '@dt/postgres'");
    const leaving = await modes(() =>
      until("it left", 5_000, () => store.deregister("g", other, { seq: 9, level: null }).then(() => true)).then(
        () => {},
      ),
    );
    expect(leaving).toEqual(["on"]);
    await admin.run("ALTER ROLE postgres RESET synchronous_commit");
  });
});
