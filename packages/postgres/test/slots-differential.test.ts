import { type PostgresServer, startPostgres } from "@dt-tooling/backends";
import {
  compareSlots,
  SLOTS_REACHABLE,
  type SlotsReached,
  type TimedGroups,
} from "@dt-tooling/simulator/ledger-operations";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type PostgresStore, postgresStore } from "../src/index.ts";
import { Admin } from "./support/admin.ts";
import { TestClock } from "./support/test-clock.ts";
import { timedGroups } from "./support/timed-groups.ts";

/**
 * The queue of a semaphore (R28 to R33) against that of @dt/core: the same random operations at the same times must
 * give the same answers, hints and rows, to the last digit.
 */

let server: PostgresServer;
let admin: Admin;
let store: PostgresStore;
let groups: TimedGroups;
const schema = `slots_${process.pid}`;

beforeAll(async () => {
  // Thousands of commits, of which none must outlive the server.
  server = await startPostgres({ control: true, config: { fsync: "off" } });
  admin = new Admin(server.url);
  store = postgresStore({ connectionString: server.url, schema, timeout: "30s" });
  await store.inspect("g");
  // Hints are kept, in their order, and not sent.
  await admin.run(`
    CREATE TABLE ${schema}.hints (place bigserial, hint text);
    CREATE OR REPLACE FUNCTION ${schema}.dt_slot_hint(p_channel text, p_incarnation text, p_hint text) RETURNS void LANGUAGE sql AS
      $$ INSERT INTO ${schema}.hints (hint) VALUES (p_incarnation || ' ' || p_hint) $$`);
  groups = {
    ...timedGroups(store, await TestClock.install(admin, schema)),
    async setDataSince(ms) {
      await admin.rows(`UPDATE ${schema}.dt_data SET since_ms = $1, lived_ms = 1e15`, [ms]);
    },
    async compareRows(group, expected) {
      const rows = [...expected.slots.rows.values()].sort((a, b) => (a.incarnation < b.incarnation ? -1 : 1));
      expect(await rowsOf(group)).toEqual(rows);
    },
    async slotHints() {
      const sent = await admin.rows(
        `WITH sent AS (DELETE FROM ${schema}.hints RETURNING *) SELECT hint FROM sent ORDER BY place`,
      );
      return sent.map(({ hint }) => String(hint));
    },
  };
});

afterAll(async () => {
  await store?.close();
  await admin?.close();
  await server?.stop();
});

const OPERATIONS = 300;
const START_MS = 1_800_000_000_000;
const everReached = new Set<SlotsReached>();
const seeds = Array.from({ length: 12 }, (_, i) => i + 1);

describe("a semaphore of the store and the ledger of @dt/core agree", () => {
  test.each(seeds)("over 300 random operations, seed %i", async (seed) => {
    const options = { seed, operations: OPERATIONS, startMs: START_MS };
    for (const what of await compareSlots(groups, options)) everReached.add(what);
  });

  test("and every kind of answer and hint was among them", () => {
    expect([...everReached].sort()).toEqual([...SLOTS_REACHABLE].sort());
  });
});

/** The rows of a group's queue, as @dt/core has them. */
async function rowsOf(group: string): Promise<unknown> {
  return admin.rows(
    `SELECT incarnation, held::float8, want::float8, seq::float8, head::float8, since_ms AS "sinceMs", tier,
       reported_ms AS "reportedMs", offered_ms AS "offeredMs", asked_ms AS "askedMs", asked::float8, held_since_ms AS "heldSinceMs"
     FROM ${schema}.dt_slot WHERE group_id = (SELECT id FROM ${schema}.dt_group WHERE name = $1) ORDER BY incarnation`,
    [group],
  );
}
