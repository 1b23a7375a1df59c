import { newcomer, permitRequest, spendRequest } from "@dt-tooling/simulator/requests";
import { beforeEach, expect, test } from "vitest";
import type { PostgresStore } from "../src/index.ts";
import { inspectBudget, inspectPermits, list, type Statement } from "../src/statement/statements.ts";
import { admin, openPatientStore, schema, useOwnServer } from "./support/own-server.ts";

useOwnServer({ config: { fsync: "off" } });

let store: PostgresStore;

beforeEach(() => {
  store = openPatientStore();
});

test("groups, keys and budgets come in pages of 100, in the order of their bytes, whatever the database sorts by", async () => {
  const names = [
    "B",
    "a",
    "b",
    "Ä",
    "ä",
    "{table}",
    "$1",
    "'; DROP SCHEMA",
    ...Array.from({ length: 93 }, (_, i) => `n${i}`),
  ];
  for (const name of names) {
    await store.register(name, newcomer());
    await store.reserve(name, permitRequest());
    await store.spend(name, spendRequest());
  }
  const sorted = [...names].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const groups = await store.list();
  expect(groups.groups).toEqual(sorted.slice(0, 100));
  expect(await store.list(groups.next)).toEqual({ groups: sorted.slice(100) });
  const keys = await store.listPermits();
  expect(keys.keys).toEqual(sorted.slice(0, 100));
  expect(await store.listPermits(keys.next)).toEqual({ keys: sorted.slice(100) });
  const budgets = await store.listBudgets();
  expect(budgets.budgets).toEqual(sorted.slice(0, 100));
  expect(await store.listBudgets(budgets.next)).toEqual({ budgets: sorted.slice(100) });
});

test("a page of a long list is read from the index of names, and nothing is sorted", async () => {
  await store.list();
  for (const [table, what] of [
    ["dt_group", "groups"],
    ["dt_permit_key", "keys"],
    ["dt_budget", "budgets"],
  ] as const) {
    await admin.run(
      `INSERT INTO ${schema}.${table} (name) SELECT 'n' || i FROM generate_series(1, 20000) i; ANALYZE ${schema}.${table}`,
    );
    const plan = await admin.rows(`EXPLAIN ${textOf(list(what, "n5"))}`);
    const steps = plan.map((row) => String(row["QUERY PLAN"]));
    expect(
      steps.some((step) => /Index (Only )?Scan using \w+_pkey/.test(step)),
      steps.join("\n"),
    ).toBe(true);
    expect(steps.filter((step) => /Sort|Seq Scan/.test(step))).toEqual([]);
  }
});

test("an inspection of permits needs no right but to read, and waits for no lock", async () => {
  await store.reserve("k", permitRequest({ terms: "one a second", everyMs: 1_000, keepMs: 60_000 }));
  await using _ = await admin.hold(`SELECT * FROM ${schema}.dt_permit_state FOR UPDATE`);
  expect(await store.inspectPermits("k")).toMatchObject({ key: "k", terms: "one a second", known: 1 });
  await admin.run(`BEGIN READ ONLY; ${textOf(inspectPermits("k"))}; ROLLBACK`);
});

test("an inspection of permits finds everything of the key by an index", async () => {
  await store.reserve("k", permitRequest());
  for (const table of ["dt_permit", "dt_permit_freed", "dt_permit_queue"])
    await admin.run(`
      INSERT INTO ${schema}.${table} SELECT ${
        table === "dt_permit"
          ? "1000000 + i, 'id', 1, 0, 0, 0, 0, 0"
          : table === "dt_permit_freed"
            ? "1000000 + i, 0, 1, 1"
            : "1000000 + i, 1, 'id', 0"
      } FROM generate_series(1, 5000) i;
      ANALYZE ${schema}.${table}`);
  const plan = await admin.rows(`EXPLAIN ${textOf(inspectPermits("k"))}`);
  const steps = plan.map((row) => String(row["QUERY PLAN"]));
  expect(
    steps.filter((step) => /Seq Scan on dt_permit(_freed|_line)? /.test(step)),
    steps.join("\n"),
  ).toEqual([]);
});

test("an inspection of a budget needs no right but to read, waits for no lock, and changes nothing", async () => {
  await store.spend("b", spendRequest({}, { terms: "10 a minute" }));
  await using _ = await admin.hold(`SELECT * FROM ${schema}.dt_budget_state FOR UPDATE`);
  const before = await admin.rows(`SELECT * FROM ${schema}.dt_budget_state`);
  expect(await store.inspectBudget("b")).toMatchObject({ budget: "b", terms: "10 a minute", open: 1 });
  expect(await admin.rows(`SELECT * FROM ${schema}.dt_budget_state`)).toEqual(before);
  await admin.run(`BEGIN READ ONLY; ${textOf(inspectBudget("b"))}; ROLLBACK`);
});

test("an inspection of a budget finds everything of it by an index", async () => {
  await store.spend("b", spendRequest());
  await admin.run(`
    INSERT INTO ${schema}.dt_budget_lease SELECT 1000000 + i, 'id', 0, 0, 0, NULL, '{}', 0 FROM generate_series(1, 5000) i;
    INSERT INTO ${schema}.dt_budget_limit SELECT 1000000 + i, 0, 1, 'l', 1, 1, '{}', '{}', '{0}', 0, 0, 0, 0 FROM generate_series(1, 5000) i;
    ANALYZE ${schema}.dt_budget_lease; ANALYZE ${schema}.dt_budget_limit`);
  const plan = await admin.rows(`EXPLAIN ${textOf(inspectBudget("b"))}`);
  const steps = plan.map((row) => String(row["QUERY PLAN"]));
  expect(
    steps.filter((step) => /Seq Scan on dt_budget_(lease|limit) /.test(step)),
    steps.join("\n"),
  ).toEqual([]);
});

function textOf({ text }: Statement): string {
  return text({ schema, waitMs: 1, channel: null });
}
