import { createThrottle, type Throttle } from "@dt/core";
import { until } from "@dt-tooling/backends";
import { describe, expect, test } from "vitest";
import { admin, keep, openPatientStore, openStore, schema } from "./support/own-server.ts";
import { permitRequest } from "./support/permit-request.ts";

/**
 * Tables that somebody emptied: every statement ends by itself, what is missing is made again, and the group goes on. A statement that looks for its
 * group's row until there is one runs on in the server, also after every store was closed.
 */

/** Statements of stores that have been running for longer than any of them may. */
const spinning = (): Promise<number> =>
  admin.number(
    `SELECT count(*) FROM pg_stat_activity
     WHERE application_name = '@dt/postgres' AND state = 'active' AND clock_timestamp() - query_start > interval '3 seconds'`,
  );

/** Empties tables of the test's schema, whose ids then begin anew. */
function empty(...tables: readonly string[]): Promise<void> {
  return admin.run(`TRUNCATE ${tables.map((table) => `${schema}.${table}`).join(", ")} RESTART IDENTITY`);
}

describe("tables emptied under load", { timeout: 120_000 }, () => {
  test.each([
    [["dt_group"]],
    [["dt_ledger"]],
    [["dt_member"]],
    [["dt_ledger", "dt_member"]],
    [["dt_group", "dt_ledger", "dt_member"]],
    [["dt_group", "dt_ledger", "dt_member", "dt_level", "dt_boot"]],
  ])("%j: nobody spins, and eight throttles agree again", async (tables) => {
    const throttles = Array.from({ length: 8 }, (): Throttle => {
      const throttle = createThrottle({ group: "g", max: 80, store: openStore({ timeout: "2s" }) });
      keep({ close: () => throttle.stop() });
      return throttle;
    });
    await Promise.all(throttles.map((throttle) => throttle.start()));
    const agree = (): boolean =>
      throttles.every((throttle) => throttle.status().agreed && throttle.status().poolSize === 8);
    await until("they agree", 30_000, agree);
    for (let round = 0; round < 3; round++) await empty(...tables);
    const observer = openPatientStore();
    await until("everybody is on record again", 30_000, async () => {
      expect(await spinning()).toBe(0);
      const { members, poolSize, held } = await observer.inspect("g");
      return members.length === 8 && poolSize === 8 && held === 80;
    });
    await until("they agree again", 30_000, agree);
  });

  test.each([
    [["dt_permit_key"]],
    [["dt_permit_state"]],
    [["dt_permit"]],
    [["dt_permit_state", "dt_permit", "dt_permit_freed", "dt_permit_line"]],
    [["dt_permit_key", "dt_permit_state", "dt_permit", "dt_permit_freed", "dt_permit_line"]],
  ])("%j: permits are given again", async (tables) => {
    const store = openPatientStore();
    const request = { everyMs: 10, maxReserved: 1_000 };
    for (let round = 0; round < 3; round++) {
      const given = await Promise.all(Array.from({ length: 20 }, () => store.reserve("k", permitRequest(request))));
      expect(given.map(({ granted }) => granted)).toEqual(given.map(() => 1));
      await empty(...tables);
    }
    expect(await store.reserve("k", permitRequest(request))).toMatchObject({ granted: 1 });
    expect(await spinning()).toBe(0);
  });
});
