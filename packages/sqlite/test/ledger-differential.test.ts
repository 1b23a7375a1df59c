import { DatabaseSync } from "node:sqlite";
import { deregister, inspect, register, sync } from "@dt/core/ledger";
import {
  compareLedgers,
  REACHABLE,
  REACHABLE_LIMITS,
  type Reached,
  type TimedGroups,
} from "@dt-tooling/simulator/ledger-operations";
import { expect, it } from "vitest";
import { SqliteLimits } from "../src/limits/sqlite-limits.ts";
import { migrate } from "../src/schema.ts";
import { SqliteTable } from "../src/sqlite-table.ts";
import { prepareStatements } from "../src/statements.ts";
import { Sandbox } from "./support/sandbox.ts";

/**
 * The ledger on a file against the ledger on plain maps: the same random operations at the same times must give the
 * same answers and rows.
 */

const sandbox = new Sandbox();

const START_MS = 1_800_000_000_000.25;
const SEEDS = Array.from({ length: 16 }, (_, i) => i + 1);
const everReached = new Set<Reached>();

it.each(SEEDS)("a file is as good as plain maps, seed %i", async (seed) => {
  const path = sandbox.path();
  const database = new DatabaseSync(path);
  migrate(database, path);
  // Thousands of operations, of which none must outlive the machine.
  database.exec("PRAGMA synchronous = OFF");
  const statements = prepareStatements(database);
  const table = (group: string): SqliteTable => new SqliteTable(statements, group);
  const groups: TimedGroups = {
    register: async (group, registration, clockMs) => register(table(group), registration, clockMs),
    sync: async (group, member, report, clockMs) => sync(table(group), member, report, clockMs),
    deregister: async (group, member, farewell, clockMs) => deregister(table(group), member, farewell, clockMs),
    inspect: async (group, clockMs) => inspect(table(group), group, clockMs),
    setLimit: async (name, record) => new SqliteLimits(statements).putLimit({ kind: "group", name }, record),
    async compareRows(group, expected) {
      const actual = table(group);
      expect(actual.group()).toEqual(expected.group());
      expect(actual.members()).toEqual(expected.members());
    },
  };
  const options = { seed, operations: 400, startMs: START_MS };
  for (const what of await compareLedgers(groups, options)) everReached.add(what);
  database.close();
});

it("every kind of answer was among them, and raises that begin early, in part and later", () => {
  expect([...everReached].sort()).toEqual([...REACHABLE, ...REACHABLE_LIMITS].sort());
});
