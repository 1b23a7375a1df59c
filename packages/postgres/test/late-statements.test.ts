import type { DtError } from "@dt/core";
import { timed, until } from "@dt-tooling/backends";
import { failure } from "@dt-tooling/backends/failure";
import { accepted, adopting, newcomer } from "@dt-tooling/simulator/requests";
import { describe, expect, test } from "vitest";
import {
  admin,
  openPatientStore,
  openPool,
  openProxy,
  openStore,
  schema,
  server,
  useOwnServer,
} from "./support/own-server.ts";

useOwnServer({ migrated: true });

describe("a statement whose caller has given up", () => {
  test("does not wait for the group's lock any longer than its caller would have", async () => {
    const pool = openPool(server.url);
    const store = openStore({ pool });
    const registration = newcomer({ staleAfterMs: 60_000 });
    const view = await store.register("g", registration);
    await using held = await admin.hold(`SELECT * FROM ${schema}.dt_ledger FOR UPDATE`);
    const { value, ms } = await timed(failure(store.sync("g", registration, adopting(view, 2, { held: 0 }))));
    // The server's own refusal: nothing happened, and the connection is as good as before.
    expect(value).toMatchObject({ code: "DT_STORE_TIMEOUT", effect: "definite" });
    expect((value as DtError).message).toContain("locked by others");
    expect(ms).toBeLessThan(1_000);
    expect([pool.totalCount, pool.idleCount]).toEqual([1, 1]);

    const given = new AbortController();
    const call = failure(store.sync("g", registration, adopting(view, 3), given.signal));
    await until("it waits for the lock", 5_000, async () => (await waiting()) === 1);
    given.abort();
    expect(await call).toMatchObject({ code: "DT_ABORTED", effect: "unknown" });
    await until("nobody waits for the lock any more", 1_500, async () => (await waiting()) === 0);
    await held[Symbol.asyncDispose]();
    const [member] = (await store.inspect("g")).members;
    expect(member).toMatchObject({ held: 10 });
  });

  test("does not keep the group locked, even if its caller's machine dies in the middle of sending it", async () => {
    const { proxy, connectionString } = await openProxy();
    const behind = openStore({ connectionString });
    const direct = openPatientStore();
    const registration = newcomer({ staleAfterMs: 60_000 });
    const view = await behind.register("g", registration);
    const before = proxy.heard;
    await behind.sync("g", registration, adopting(view, 11));
    const length = proxy.heard - before;
    let seq = 12;
    for (const bytes of [1, 5, Math.floor(length / 2), length - 5, length - 1]) {
      proxy.stallAfter(bytes);
      await failure(behind.sync("g", registration, adopting(view, seq++)));
      proxy.strand();
      expect(await direct.sync("g", registration, adopting(view, seq++))).toMatchObject({ members: 1 });
      await behind.inspect("g");
    }
    expect(await admin.number("SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in transaction%'")).toBe(0);
  });

  test("costs the pool that connection and no other", async () => {
    const pool = openPool(server.url, 2);
    const store = openStore({ pool });
    const registration = newcomer({ staleAfterMs: 60_000 });
    const view = await store.register("g", registration);
    await server.pause();
    expect(await failure(store.sync("g", registration, adopting(view, 2)))).toMatchObject({
      code: "DT_STORE_TIMEOUT",
      effect: "unknown",
    });
    await until("its connection has left the pool", 5_000, () => pool.totalCount === 0);
    await server.resume();
    expect(await store.sync("g", registration, adopting(view, 3))).toMatchObject({ members: 1 });
    expect(pool.waitingCount).toBe(0);
  });

  test("is seen by the server once, however late", async () => {
    const store = openStore();
    const registration = newcomer({ staleAfterMs: 60_000 });
    const view = await store.register("g", registration);
    await server.pause();
    expect(await failure(store.sync("g", registration, adopting(view, 2)))).toMatchObject({ effect: "unknown" });
    await server.resume();
    expect(await store.sync("g", registration, adopting(view, 3))).toMatchObject({ members: 1 });
    // Registration, the lost sync and the next one: every one of them writes the group's row once.
    await until("both syncs have run", 5_000, async () => (await writes()) === 3);
  });

  test("and comes after newer ones has no effect: neither its tokens nor its heartbeat count", async () => {
    const { proxy, connectionString } = await openProxy();
    const store = openStore({ connectionString });
    const registration = newcomer({ staleAfterMs: 60_000 });
    const view = accepted(await store.register("g", registration));
    const before = await writes();
    proxy.apply({ type: "stall" });
    // A report that would lower the share to nothing, were it heard.
    const late = failure(store.sync("g", registration, adopting(view, 2, { held: 0 })));
    expect(await late).toMatchObject({ code: "DT_STORE_TIMEOUT", effect: "unknown" });
    const direct = openPatientStore();
    const newer = await direct.register("g", newcomer({ staleAfterMs: 60_000 }));
    expect(await direct.sync("g", registration, adopting(newer, 3, { held: 5 }))).toMatchObject({ held: 5 });
    proxy.apply(undefined);
    await until("the late statement has run", 5_000, async () => (await writes()) === before + 3);
    const snapshot = await direct.inspect("g");
    expect(snapshot.members[0]).toMatchObject({ held: 5, generation: accepted(newer).generation });
  });
});

/** Statements that wait for a lock. */
function waiting(): Promise<number> {
  return admin.number("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'");
}

/** How often group rows were written. */
function writes(): Promise<number> {
  return admin.number(`SELECT sum(writes) FROM ${schema}.dt_ledger`);
}
