import { until } from "@dt-tooling/backends";
import { newcomer } from "@dt-tooling/simulator/requests";
import { beforeEach, describe, expect, test } from "vitest";
import type { PostgresStore } from "../src/index.ts";
import { sync } from "../src/statement/statements.ts";
import { Admin } from "./support/admin.ts";
import { commitModes } from "./support/commit-modes.ts";
import { admin, keep, openStore, schema, server, useOwnServer } from "./support/own-server.ts";
import { SlotMember } from "./support/slot-member.ts";

/** What a sync of a semaphore's member costs, from the server's own counters. */

// Nothing must outlive the server, and no other process touches the tables.
useOwnServer({ config: { shared_preload_libraries: "pg_stat_statements", autovacuum: "off", fsync: "off" } });

let store: PostgresStore;

beforeEach(async () => {
  store = openStore({ timeout: "20s" });
  await store.inspect("g");
});

/** Members that all wait for more than they have: half of them hold a slot. */
async function busy(group: string, size: number): Promise<SlotMember[]> {
  const members: SlotMember[] = [];
  for (let i = 0; i < size; i++) members.push(await SlotMember.join(store, size / 2, {}, group));
  for (const member of members) await member.report({ held: member.view?.held ?? 0, waiting: 3 });
  return members;
}

/** Pages that the next report of a member looks at, in whatever table or index. */
async function pages(connection: Admin, { group, registration, view }: SlotMember, seq: number): Promise<number> {
  const { generation = 0, members = 0, held = 0 } = view ?? {};
  const demand = { want: held + 3, syncMs: 1_000, slots: { waiting: 3, head: 1, tookOffer: false } };
  const report = { seq, generation, members, held, max: registration.max, level: null, demand };
  const text = sync(group, registration, report).text({ schema, waitMs: 1_000, channel: null });
  const [row] = await connection.rows(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`);
  const [{ Plan: plan }] = (row as { "QUERY PLAN": [{ Plan: Record<string, number> }] })["QUERY PLAN"];
  return (plan["Shared Hit Blocks"] as number) + (plan["Shared Read Blocks"] as number);
}

async function medianPages(members: readonly SlotMember[]): Promise<number> {
  // A new connection makes new plans; from the sixth time on it keeps them.
  const connection = keep(new Admin(server.url));
  for (let seq = 10; seq < 17; seq++) await pages(connection, members[0] as SlotMember, seq);
  const counts: number[] = [];
  for (const member of members) counts.push(await pages(connection, member, 100));
  return counts.sort((one, other) => one - other)[Math.floor(counts.length / 2)] as number;
}

describe("a sync of a semaphore's member", () => {
  test("among 600 looks at hardly more pages than among 40, and scans no table", async () => {
    // Making its indexes scans the table.
    const { scans } = await counted(({ scans }) => scans > 0);
    const few = await busy("few", 40);
    const many = await busy("many", 600);
    // How many old versions of rows lie about depends on how busy the machine is.
    await admin.run("VACUUM");
    const fewPages = await medianPages(few);
    expect(await medianPages(many.filter((_, i) => i % 15 === 7))).toBeLessThan(1.5 * fewPages);
    expect(await counted(({ updates }) => updates >= 640 + 94)).toMatchObject({ scans });
  });

  test("stays as it is while an old transaction is open", async () => {
    await admin.run("CREATE EXTENSION pg_stat_statements");
    const members: SlotMember[] = [];
    for (let i = 0; i < 20; i++) members.push(await SlotMember.join(store, 5));
    // Each report hands a slot over.
    const meanPages = async (reports: number): Promise<number> => {
      await admin.rows("SELECT pg_stat_statements_reset()");
      for (let i = 0; i < reports; i++)
        await (members[i % 20] as SlotMember).report({ held: 0, waiting: 4, tookOffer: true });
      return admin.number(
        `SELECT (shared_blks_hit + shared_blks_read) / calls FROM pg_stat_statements WHERE query LIKE '%dt_sync%'`,
      );
    };
    await using _held = await admin.hold(
      "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; SELECT 1 FROM pg_class LIMIT 1",
    );
    await meanPages(512);
    const before = await meanPages(512);
    await meanPages(1_536);
    expect(await meanPages(512)).toBeLessThan(1.5 * before);
  });

  test("that changes neither what is held nor the queue is HOT", async () => {
    const holder = await SlotMember.join(store, 2);
    await holder.report({ held: 0, waiting: 1 });
    const before = await counted(({ updates }) => updates === 1);
    for (let i = 0; i < 50; i++) await holder.report({ held: 2 });
    const after = await counted(({ updates }) => updates === 51);
    // The first may move the row to a page with more room.
    expect(after.hot - before.hot).toBeGreaterThan(48);
  });

  test("waits for the disk where it raises this member or another, and not where slots are only given back", async () => {
    const [holder, waiter] = [await SlotMember.join(store, 2), await SlotMember.join(store, 2)];
    await holder.report({ held: 0, waiting: 2 });
    await waiter.report({ held: 0 });
    const modes = (act: () => Promise<unknown>): Promise<string[]> => commitModes(admin, schema, act);
    expect(await modes(() => holder.report({ held: 2 }))).toEqual(["off"]);
    expect(await modes(() => waiter.report({ held: 0, waiting: 1 }))).toEqual(["off"]);
    expect(await modes(() => holder.report({ held: 1 }))).toEqual(["on"]);
    expect((await store.inspect("g")).members.map(({ held }) => held)).toEqual([1, 1]);
    expect(await modes(() => waiter.report({ held: 0 }))).toEqual(["off"]);
    expect(await modes(() => holder.report({ held: 1, waiting: 1 }))).toEqual(["on"]);
  });

  test("waits where its own member is refused and another is raised, whatever the role's default is", async () => {
    await admin.run("ALTER ROLE postgres SET synchronous_commit = off");
    const lax = openStore({ timeout: "20s" });
    const [holder, waiter] = [await SlotMember.join(lax, 1), await SlotMember.join(lax, 1)];
    await holder.report({ held: 0, waiting: 1 });
    await waiter.report({ held: 0, waiting: 1 });
    await admin.rows(`UPDATE ${schema}.dt_member SET expires_at_ms = 0, due_ms = 0 WHERE incarnation = $1`, [
      holder.registration.incarnation,
    ]);
    await admin.run(`UPDATE ${schema}.dt_ledger SET swept_ms = '-infinity'`);
    const stranger = newcomer();
    const report = { seq: 1, generation: 0, members: 0, held: 0, max: 1, level: null };
    const modes = await commitModes(admin, schema, () => lax.sync("g", stranger, report));
    await admin.run("ALTER ROLE postgres RESET synchronous_commit");
    expect(modes).toEqual(["on"]);
    expect((await lax.inspect("g")).members.map(({ held }) => held)).toEqual([1]);
  });
});

interface Counters {
  readonly scans: number;
  readonly updates: number;
  readonly hot: number;
}

/** Counters of `dt_slot`, once they say this: a process of the server hands its own on some seconds later. */
async function counted(enough: (counters: Counters) => boolean): Promise<Counters> {
  return until("enough is counted", 30_000, async () => {
    const [row] = await admin.rows(
      `SELECT seq_scan::float8 AS scans, n_tup_upd::float8 AS updates, n_tup_hot_upd::float8 AS hot
       FROM pg_stat_user_tables WHERE schemaname = $1 AND relname = 'dt_slot'`,
      [schema],
    );
    const found = row as unknown as Counters;
    return enough(found) && found;
  });
}
