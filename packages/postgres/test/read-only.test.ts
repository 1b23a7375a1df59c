import { newcomer, permitRequest } from "@dt-tooling/simulator/requests";
import { beforeEach, expect, test } from "vitest";
import type { PostgresStore } from "../src/index.ts";
import { inspectPermits, list, type Statement } from "../src/statement/statements.ts";
import { admin, openPatientStore, schema, useOwnServer } from "./support/own-server.ts";

useOwnServer({ config: { fsync: "off" } });

let store: PostgresStore;

beforeEach(() => {
  store = openPatientStore();
});

test("groups and keys come in pages of 100, in the order of their bytes, whatever the database sorts by", async () => {
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
  }
  const sorted = [...names].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const groups = await store.list();
  expect(groups.groups).toEqual(sorted.slice(0, 100));
  expect(await store.list(groups.next)).toEqual({ groups: sorted.slice(100) });
  const keys = await store.listPermits();
  expect(keys.keys).toEqual(sorted.slice(0, 100));
  expect(await store.listPermits(keys.next)).toEqual({ keys: sorted.slice(100) });
});

test("a page of a long list is read from the index of names, and nothing is sorted", async () => {
  await store.list();
  for (const [table, what] of [
    ["dt_group", "groups"],
    ["dt_permit_key", "keys"],
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

function textOf({ text }: Statement): string {
  return text({ schema, waitMs: 1, channel: null });
}
