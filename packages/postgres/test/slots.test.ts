import { Random } from "@dt-tooling/simulator/random";
import { beforeEach, describe, expect, test } from "vitest";
import type { PostgresStore } from "../src/index.ts";
import { admin, openPatientStore, schema, useOwnServer } from "./support/own-server.ts";
import { SlotMember } from "./support/slot-member.ts";

useOwnServer();

let store: PostgresStore;

beforeEach(async () => {
  store = openPatientStore();
  await store.inspect("g");
});

const write = (sql: string): Promise<void> => admin.run(sql.replaceAll("dt_", `${schema}.dt_`));

/** Incarnations in the queue, in its order. */
async function queue(): Promise<unknown[]> {
  const rows = await admin.rows(
    `SELECT incarnation FROM ${schema}.dt_slot WHERE since_ms IS NOT NULL ORDER BY tier, since_ms, incarnation`,
  );
  return rows.map(({ incarnation }) => incarnation);
}

/** A member that holds the only slot, and others that wait for it. */
async function holderAndWaiters(waiters: number): Promise<readonly [SlotMember, ...SlotMember[]]> {
  const holder = await SlotMember.join(store, 1);
  await holder.report({ held: 0, waiting: 1 });
  const others: SlotMember[] = [];
  for (let i = 0; i < waiters; i++) {
    const other = await SlotMember.join(store, 1);
    await other.report({ held: 0, waiting: 1 });
    others.push(other);
  }
  return [holder, ...others];
}

describe("the queue", () => {
  test("is left with the member: no row stays behind, however it goes", async () => {
    const [holder, leaving, stale, ...rest] = await holderAndWaiters(4);
    expect(await queue()).toHaveLength(4);
    await (leaving as SlotMember).leave();
    await admin.rows(
      `UPDATE ${schema}.dt_member SET expires_at_ms = 0, due_ms = greatest(0, (SELECT swept_ms FROM ${schema}.dt_ledger))
       WHERE incarnation = $1`,
      [(stale as SlotMember).registration.incarnation],
    );
    await holder.report({ held: 1 });
    const rows = await admin.rows(`SELECT incarnation FROM ${schema}.dt_slot ORDER BY incarnation`);
    const left = [holder, ...rest].map(({ registration }) => registration.incarnation).sort();
    expect(rows.map(({ incarnation }) => incarnation)).toEqual(left);
    await store.repair("g", { reset: true });
    expect(await admin.number(`SELECT count(*) FROM ${schema}.dt_slot`)).toBe(0);
  });

  test("is served 32 members at a time", async () => {
    const holder = await SlotMember.join(store, 40);
    await holder.report({ held: 0, waiting: 40 });
    for (let i = 0; i < 40; i++) await (await SlotMember.join(store, 40)).report({ held: 0, waiting: 1 });
    await holder.report({ held: 0 });
    expect(await store.inspect("g")).toMatchObject({ held: 32 });
    await holder.report({ held: 0 });
    expect(await store.inspect("g")).toMatchObject({ held: 40 });
  });

  test("holds no more than there is while 20 members of 5 processes report at once, and nothing deadlocks", async () => {
    const max = 7;
    const stores = [store, ...Array.from({ length: 4 }, () => openPatientStore({ hints: true }))];
    const members: SlotMember[] = [];
    for (let i = 0; i < 20; i++) members.push(await SlotMember.join(stores[i % 5] as PostgresStore, max));
    const random = new Random(1, "slots");
    let most = 0;
    const live = async (member: SlotMember): Promise<void> => {
      for (let i = 0; i < 40; i++) {
        const { held = 0, demand } = member.view ?? {};
        expect(demand?.slots?.over).toBe(false);
        await member.report({ held: Math.max(0, held - random.integer(0, 2)), waiting: random.integer(0, 3) });
        if (i % 10 === 0) most = Math.max(most, (await store.inspect("g")).held);
      }
    };
    await Promise.all(members.map(live));
    expect(most).toBeLessThanOrEqual(max);
    expect(members.some(({ hints }) => hints.some((hint) => hint?.kind === "offer"))).toBe(true);
    expect(await admin.number("SELECT sum(deadlocks) FROM pg_stat_database")).toBe(0);
    expect(await store.repair("g")).toEqual({ found: [], members: 20, reset: false });
  });
});

describe("damaged rows of the queue", () => {
  test.each([
    ["deleted", "DELETE FROM dt_slot", 0],
    ["emptied", "TRUNCATE dt_slot", 0],
    ["of members that are gone", "UPDATE dt_slot SET incarnation = 'gone ' || incarnation WHERE since_ms IS NULL", 1],
    ["with other sums", "UPDATE dt_slot SET held = held + 5", 3],
  ])("%s: a repair says so, and nobody is raised above what there is", async (_, sql, found) => {
    const [holder, first, second] = (await holderAndWaiters(2)) as [SlotMember, SlotMember, SlotMember];
    await write(sql);
    const problem = `${found} rows of the queue did not fit their members`;
    expect(await store.repair("g")).toEqual({ found: found > 0 ? [problem] : [], members: 3, reset: false });
    expect(await store.repair("g")).toMatchObject({ found: [] });
    // Each stands in the queue again with its report, and has its turn.
    expect(await first.report({ held: 0, waiting: 1 })).toMatchObject({ held: 0, learning: false });
    expect(await second.report({ held: 0, waiting: 1 })).toMatchObject({ held: 0 });
    expect(await holder.report({ held: 0 })).toMatchObject({ held: 0 });
    expect(await first.report({ held: 1 })).toMatchObject({ held: 1 });
    expect(await store.inspect("g")).toMatchObject({ held: 1 });
  });

  test.each([
    ["of a member that is gone", "DELETE FROM dt_member WHERE incarnation = '?'"],
    ["with other sums", "UPDATE dt_slot SET held = 0, want = 9, head = 9, since_ms = 0 WHERE incarnation = '?'"],
    [
      "that asks for what is not there",
      "UPDATE dt_slot SET asked = 99, asked_ms = reported_ms WHERE incarnation = '?'",
    ],
  ])("%s, without a repair: no more is held than there is", async (_, sql) => {
    const [holder, first, second] = (await holderAndWaiters(2)) as [SlotMember, SlotMember, SlotMember];
    await write(sql.replace("?", first.registration.incarnation));
    const left = sql.startsWith("DELETE") ? [holder, second] : [holder, first, second];
    for (let round = 0; round < 4; round++)
      for (const member of left) {
        const { held } = await member.report({ held: 0, waiting: 1 });
        const { members } = await store.inspect("g");
        expect(members.reduce((sum, row) => sum + row.held, 0)).toBeLessThanOrEqual(1);
        expect(held).toBeLessThanOrEqual(1);
      }
  });

  test.each(["held = -1", "since_ms = 'NaN'", "reported_ms = 'Infinity'", "asked = -1", "want = -1", "head = NULL"])(
    "cannot be written: %s",
    async (change) => {
      await holderAndWaiters(1);
      await expect(write(`UPDATE dt_slot SET ${change}`)).rejects.toThrow(/violates .* constraint/);
    },
  );
});
