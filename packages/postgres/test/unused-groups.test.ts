import { adopting, newcomer } from "@dt-tooling/simulator/requests";
import { beforeEach, describe, expect, test } from "vitest";
import type { PostgresStore } from "../src/index.ts";
import { admin, openPatientStore, schema, useOwnServer } from "./support/own-server.ts";

useOwnServer({ migrated: true });

let store: PostgresStore;
beforeEach(() => {
  store = openPatientStore();
});

test("levels whose time is over are forgotten when the next one is remembered, by those who leave and by those who go stale", async () => {
  const leave = async (group: string, id: string): Promise<void> => {
    const member = newcomer({ id, level: 1, resumeWithinMs: 60_000 });
    await store.register(group, member);
    await store.deregister(group, member, { seq: 2, level: 2 });
  };
  const pass = (...ids: string[]): Promise<unknown> =>
    admin.rows(`UPDATE ${schema}.dt_level SET until_ms = 1 WHERE id = ANY($1)`, [ids]);
  const remembered = async (): Promise<unknown[]> =>
    (await admin.rows(`SELECT id FROM ${schema}.dt_level ORDER BY id`)).map(({ id }) => id);
  for (const id of ["a", "b", "c"]) await leave("g", id);
  await leave("other", "kept");
  await pass("a", "b");
  expect(await remembered()).toEqual(["a", "b", "c", "kept"]);
  await leave("g", "d");
  expect(await remembered()).toEqual(["c", "d", "kept"]);
  await pass("c");
  await store.register("g", newcomer({ id: "stale", level: 1, resumeWithinMs: 60_000 }));
  await admin.run(
    `UPDATE ${schema}.dt_member SET expires_at_ms = 1, due_ms = 1; UPDATE ${schema}.dt_ledger SET swept_ms = 0`,
  );
  await store.register("g", newcomer({ id: "e" }));
  expect(await remembered()).toEqual(["d", "kept", "stale"]);
});

describe("groups that nobody uses any more", () => {
  const names = async (): Promise<unknown[]> =>
    (await admin.rows(`SELECT name FROM ${schema}.dt_group ORDER BY name`)).map(({ name }) => name);
  const abandon = (name: string): Promise<unknown> =>
    admin.rows(
      `UPDATE ${schema}.dt_ledger SET keep_until_ms = 1 WHERE group_id = (SELECT id FROM ${schema}.dt_group WHERE name = $1)`,
      [name],
    );

  test("are kept for a day, and longer than the longest stale age, memory of levels and epoch of the last tokens", async () => {
    const dayMs = 86_400_000;
    const before = Date.now();
    await store.register("short", newcomer());
    await store.register(
      "long",
      newcomer({ staleAfterMs: 3 * dayMs, resumeWithinMs: 5 * dayMs, intervalMs: 30 * dayMs }),
    );
    const kept = await admin.rows(`SELECT keep_until_ms AS until FROM ${schema}.dt_ledger ORDER BY until`);
    const [short, long] = kept.map(({ until }) => Number(until));
    expect(short).toBeGreaterThan(before + dayMs);
    expect(long).toBeGreaterThan(before + 42 * dayMs - 1_000);
  });

  test("are kept until levels are forgotten, however long ago the last of their members joined", async () => {
    const dayMs = 86_400_000;
    const member = newcomer({ resumeWithinMs: 8 * dayMs });
    await store.register("long", member);
    await admin.run(`UPDATE ${schema}.dt_ledger SET keep_until_ms = keep_until_ms - ${3 * dayMs}`);
    const before = Date.now();
    await store.deregister("long", { id: member.id, incarnation: member.incarnation }, { seq: 2, level: 2 });
    const until = await admin.number(`SELECT keep_until_ms FROM ${schema}.dt_ledger`);
    expect(until).toBeGreaterThan(before + 8 * dayMs);
  });

  test("are forgotten with all they had, two whenever a new one is made, and never by a heartbeat", async () => {
    const [alive, gone] = [newcomer(), newcomer({ level: 1, resumeWithinMs: 60_000 })];
    const view = await store.register("alive", alive);
    for (const name of ["a", "b", "c"]) {
      await store.register(name, { ...gone, incarnation: `left ${name}` });
      await store.deregister(name, { id: gone.id, incarnation: `left ${name}` }, { seq: 2, level: 2 });
      await store.register(name, { ...gone, incarnation: `there ${name}` });
    }
    for (const name of ["a", "b", "c"]) await abandon(name);
    await store.sync("alive", alive, adopting(view, 2));
    expect(await names()).toEqual(["a", "alive", "b", "c"]);
    await store.register("new", newcomer());
    expect((await names()).length).toBe(3);
    await store.register("newer", newcomer());
    expect(await names()).toEqual(["alive", "new", "newer"]);
    expect(await admin.number(`SELECT count(*) FROM ${schema}.dt_member`)).toBe(3);
    expect(await admin.number(`SELECT count(*) FROM ${schema}.dt_level`)).toBe(0);
  });

  test("come back to life with their first heartbeat, and are not waited for while somebody is at them", async () => {
    const member = newcomer();
    const view = await store.register("used", member);
    await store.register("locked", newcomer());
    await abandon("used");
    await abandon("locked");
    await store.sync("used", member, adopting(view, 2));
    await using held = await admin.hold(`SELECT * FROM ${schema}.dt_ledger FOR UPDATE`);
    const quick = openPatientStore();
    await quick.register("new", newcomer());
    await quick.close();
    await held[Symbol.asyncDispose]();
    expect(await names()).toEqual(["locked", "new", "used"]);
    await store.register("newer", newcomer());
    expect(await names()).toEqual(["new", "newer", "used"]);
  });
});
