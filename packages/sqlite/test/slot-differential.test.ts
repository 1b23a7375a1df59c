import { DatabaseSync } from "node:sqlite";
import { deregister, inspect, register, sync, writeSlotHint } from "@dt/core/ledger";
import {
  compareSlots,
  SLOTS_REACHABLE,
  type SlotsReached,
  type TimedGroups,
} from "@dt-tooling/simulator/ledger-operations";
import { expect, it } from "vitest";
import { migrate } from "../src/schema.ts";
import { SqliteTable } from "../src/sqlite-table.ts";
import { prepareStatements } from "../src/statements.ts";
import { Sandbox } from "./support/sandbox.ts";

/**
 * The queue of a semaphore in a file against the queue in plain maps: the same random operations at the same times must
 * give the same answers, hints and rows.
 */

const sandbox = new Sandbox();

const START_MS = 1_800_000_000_000.25;
const SEEDS = Array.from({ length: 16 }, (_, i) => i + 1);
const everReached = new Set<SlotsReached>();

it.each(SEEDS)("a queue in a file is as good as one in plain maps, seed %i", async (seed) => {
  const path = sandbox.path();
  const database = new DatabaseSync(path);
  migrate(database, path);
  // Thousands of operations, of which none must outlive the machine.
  database.exec("PRAGMA synchronous = OFF; PRAGMA foreign_keys = ON");
  const statements = prepareStatements(database);
  let last: SqliteTable | undefined;
  const table = (group: string): SqliteTable => {
    last = new SqliteTable(statements, group);
    return last;
  };
  const groups: TimedGroups = {
    register: async (group, registration, clockMs) => register(table(group), registration, clockMs),
    sync: async (group, member, report, clockMs) => sync(table(group), member, report, clockMs),
    deregister: async (group, member, farewell, clockMs) => deregister(table(group), member, farewell, clockMs),
    inspect: async (group, clockMs) => inspect(new SqliteTable(statements, group), group, clockMs),
    slotHints: async () => (last?.slots.hints ?? []).map(([name, hint]) => `${name} ${writeSlotHint(hint)}`),
    async compareRows(group, expected) {
      const actual = new SqliteTable(statements, group);
      expect(actual.group()).toEqual(expected.group());
      expect(actual.members()).toEqual(expected.members());
      const stored = actual.storedSlots().map((row) => row.read());
      expect(new Map(stored.map((row) => [row.incarnation, row]))).toEqual(expected.slots.rows);
    },
  };
  const options = { seed, operations: 400, startMs: START_MS };
  for (const what of await compareSlots(groups, options)) everReached.add(what);
  database.close();
});

it("every kind of answer and of hint was among them", () => {
  expect([...everReached].sort()).toEqual([...SLOTS_REACHABLE].sort());
});
