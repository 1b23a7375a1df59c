import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { createThrottle, systemRuntime } from "@dt/core";
import { until } from "@dt-tooling/backends";
import { newcomer } from "@dt-tooling/simulator/requests";
import { describe, expect, test } from "vitest";
import { channelOf } from "../src/listen.ts";
import { Admin } from "./support/admin.ts";
import { addressOf, admin, keep, newName, openPatientStore, schema, useOwnServer } from "./support/own-server.ts";

useOwnServer();

/** Whoever may connect to the database may NOTIFY any channel: hints are for those who know its name. */

async function watchAndCount(store: ReturnType<typeof openPatientStore>): Promise<{ count: number }> {
  const hints = { count: 0 };
  await store.onHint?.("g", () => {
    hints.count += 1;
  });
  return hints;
}

describe("the channel of a group", () => {
  test("cannot be found out, and so not be notified, by who may only connect to the database", async () => {
    const store = openPatientStore({ hints: true });
    const hints = await watchAndCount(store);
    const user = newName();
    await admin.run(`CREATE ROLE ${user} LOGIN`);
    const stranger = keep(new Admin(addressOf({ user })));
    // Everything that follows from the names of the schema and the group.
    const hash = (text: string): string => createHash("sha256").update(text).digest("hex");
    const texts = ["g", `"${schema}"\0g`, `${schema}\0g`, channelOf({ kind: "group", name: "g" }), `${schema}.g`];
    const guesses = texts.flatMap((text) => [40, 60].map((length) => hash(text).slice(0, length)));
    for (const guess of ["g", ...guesses])
      for (const name of [guess, `dt_${guess}`]) await stranger.rows("SELECT pg_notify($1, '')", [name]);
    await expect(
      stranger.rows(`SELECT ${schema}.dt_channel($1)`, [channelOf({ kind: "group", name: "g" })]),
    ).rejects.toThrow(/permission denied/);
    await expect(stranger.rows(`SELECT * FROM ${schema}.dt_data`)).rejects.toThrow(/permission denied/);
    const seen = await stranger.rows("SELECT query FROM pg_stat_activity WHERE query LIKE '%LISTEN dt\\_%'");
    expect(seen).toEqual([]);
    // What it does hear comes after what it must not hear.
    await store.register("g", newcomer());
    await until("a hint came", 10_000, () => hints.count > 0);
    expect(hints.count).toBe(1);
  });

  test("differs from schema to schema, and is no longer than an identifier", async () => {
    await openPatientStore().inspect("g");
    const other = newName();
    await openPatientStore({ schema: other }).inspect("g");
    const texts = [schema, other].map((name) => `SELECT ${name}.dt_channel('x')`);
    const names = await Promise.all(texts.map(async (sql) => Object.values((await admin.rows(sql))[0] ?? {})[0]));
    expect(new Set(names).size).toBe(2);
    for (const name of names) expect(name).toMatch(/^dt_[0-9a-f]{40}$/);
  });

  test("is found again when the schema was dropped and made anew, with another secret", async () => {
    // The connection is asked every 10 s whether it lives, and listens to the right channel; here every 100 ms.
    const setTimer: typeof systemRuntime.setTimer = (callback, delayMs, settings) =>
      systemRuntime.setTimer(callback, delayMs === 10_000 ? 100 : delayMs, settings);
    const store = openPatientStore({ hints: true, timeout: "9s", runtime: { ...systemRuntime, setTimer } });
    const hints = await watchAndCount(store);
    await admin.run(`DROP SCHEMA ${schema} CASCADE`);
    const other = openPatientStore({ hints: true });
    await other.inspect("g");
    await until("it listens again, which is a hint", 10_000, () => hints.count > 0);
    const before = hints.count;
    await other.register("g", newcomer());
    await until("a hint came", 10_000, () => hints.count > before);
  });

  test("has a secret again after somebody emptied its table", async () => {
    const store = openPatientStore({ hints: true });
    await store.register("g", newcomer());
    await admin.run(`TRUNCATE ${schema}.dt_data`);
    await store.register("g", newcomer());
    const hints = await watchAndCount(store);
    await store.register("g", newcomer());
    await until("a hint came", 10_000, () => hints.count > 0);
  });

  test("flooded by somebody who does know it makes each member sync twice an interval, not with every hint", async () => {
    const store = openPatientStore({ hints: true });
    // The first call opens a connection and makes the schema: on a busy machine that takes more than a deadline.
    await store.inspect("g");
    const throttle = createThrottle({
      name: "g",
      max: 10,
      shares: "even",
      storeTimeout: "3s",
      staleAfter: "30s",
      store,
    });
    keep({ close: () => throttle.stop() });
    await throttle.start();
    await until("it agrees", 10_000, () => throttle.status().agreed);
    const writes = (): Promise<number> => admin.number(`SELECT writes FROM ${schema}.dt_ledger`);
    const [before, startMs] = [await writes(), performance.now()];
    let hints = 0;
    while (performance.now() - startMs < 4_000) {
      await admin.rows(`SELECT ${schema}.dt_hint($1)`, [channelOf({ kind: "group", name: "g" })]);
      hints += 1;
      await sleep(2);
    }
    const intervals = (performance.now() - startMs) / 1_000;
    expect(hints).toBeGreaterThan(20 * intervals);
    // What was saved up before comes on top.
    expect((await writes()) - before).toBeLessThan(2 * intervals + 10);
  });
});
