import type { MemberView } from "@dt/core";
import { instantOf } from "@dt/core/ledger";
import { startPgBouncer } from "@dt-tooling/backends";
import { SourceProcess } from "@dt-tooling/backends/source-process";
import { accepted, adopting, newcomer, permitRequest } from "@dt-tooling/simulator/requests";
import { describe, expect, test } from "vitest";
import type { PostgresStore } from "../src/index.ts";
import {
  addressOf,
  admin,
  keep,
  newName,
  openPatientStore,
  schema,
  server,
  useOwnServer,
} from "./support/own-server.ts";

useOwnServer();

describe("the first call", () => {
  test("creates the schema and everything in it", async () => {
    await openPatientStore().register("g", newcomer());
    expect(await admin.versions(schema)).toEqual([1]);
  });

  test("of eight processes at the same time succeeds in each, and they meet in one group", {
    timeout: 60_000,
  }, async () => {
    for (let race = 0; race < 3; race++) {
      const fresh = newName();
      const joiners = await Promise.all(Array.from({ length: 8 }, (_, i) => startJoiner(fresh, `p${i}`)));
      const views = await Promise.all(joiners.map((join) => join()));
      expect(views.map(({ members }) => members).sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
      expect(new Set(views.map(({ rank }) => rank)).size).toBe(8);
      expect(await admin.versions(fresh)).toEqual([1]);
    }
  });

  test("of forty stores at the same time leaves no failed statement visible to any of them", async () => {
    const many = Array.from({ length: 40 }, () => openPatientStore());
    await Promise.all(many.map((store) => store.register("g", newcomer())));
    expect(await many[0]?.inspect("g")).toMatchObject({ memberCount: 40 });
  });

  test("uses a schema that is there, also without the right to create one", async () => {
    await admin.run(`CREATE ROLE ${schema} LOGIN; CREATE SCHEMA ${schema} AUTHORIZATION ${schema}`);
    const store = openPatientStore({ connectionString: addressOf({ user: schema }) });
    expect(accepted(await store.register("g", newcomer()))).toMatchObject({ members: 1 });
  });

  test("succeeds in a schema whose name needs quotes", async () => {
    const store = openPatientStore({ schema: `Limits-${process.pid}` });
    await store.register("g", newcomer());
    expect(await store.inspect("g")).toMatchObject({ memberCount: 1 });
    expect(await admin.number(`SELECT count(*) FROM "Limits-${process.pid}".dt_member`)).toBe(1);
  });

  test("is not needed again: a schema that vanishes under a store is made anew, and the member is unknown", async () => {
    const store = openPatientStore();
    const registration = newcomer();
    const view = await store.register("g", registration);
    await admin.run(`DROP SCHEMA ${schema} CASCADE`);
    expect(await store.sync("g", registration, adopting(view, 2))).toMatchObject({ status: "unknown" });
    expect(await admin.versions(schema)).toEqual([1]);
  });
});

describe("behind a PgBouncer", () => {
  test.each(["session", "transaction", "statement"] as const)(
    "in %s mode everything works from the first call on",
    async (poolMode) => {
      await using bouncer = await startPgBouncer(server, { poolMode, connections: poolMode === "session" ? 20 : 2 });
      const some = Array.from({ length: 5 }, () => openPatientStore({ connectionString: bouncer.url }));
      await Promise.all(some.map((store) => store.register("g", newcomer())));
      const late = newcomer({ max: 6 });
      const view = await (some[0] as PostgresStore).register("g", late);
      expect(await some[1]?.sync("g", late, adopting(view, 2))).toMatchObject({ members: 6, capacity: 6 });
      await some[2]?.deregister("g", late, { seq: 3, level: null });
      expect(await some[3]?.inspect("g")).toMatchObject({ memberCount: 5, capacity: 10 });
      const ahead = { everyMs: 60_000, maxReserved: 3 };
      const given = await Promise.all(some.map((store) => store.reserve("k", permitRequest(ahead))));
      const instants = given.map((reservation) => instantOf(reservation, 0)).sort((a, b) => a - b);
      for (const [i, instant] of instants.slice(1).entries())
        expect(instant - (instants[i] as number)).toBeGreaterThanOrEqual(60_000);
      expect(await some[4]?.reserve("k", permitRequest(ahead))).toMatchObject({ granted: 0 });
      for (const store of some) await store.close();
    },
  );
});

describe("stores of different schemas in one database", () => {
  test("do not see each other's groups, nor hear of them", async () => {
    const [one, other] = [
      openPatientStore({ schema: newName(), hints: true }),
      openPatientStore({ schema: newName(), hints: true }),
    ];
    let heard = 0;
    await other.inspect("g");
    await other.onHint?.("g", () => {
      heard += 1;
    });
    await one.register("g", newcomer());
    await one.register("g", newcomer());
    expect(await other.inspect("g")).toMatchObject({ memberCount: 0, generation: 0 });
    // What it does hear comes after what it must not hear.
    await other.register("g", newcomer());
    await expect.poll(() => heard).toBe(1);
    expect(await one.inspect("g")).toMatchObject({ memberCount: 2 });
  });
});

describe("a database all of whose tables are published for logical replication", () => {
  test("can serve: every table that changes has a key", async () => {
    const store = openPatientStore();
    await store.inspect("g");
    await admin.run("CREATE PUBLICATION everything FOR ALL TABLES");
    const [a, b] = [newcomer({ level: 1, resumeWithinMs: 60_000 }), newcomer()];
    await store.register("g", a);
    const view = await store.register("g", b);
    for (const seq of [2, 3]) await store.sync("g", a, adopting(view, seq, { held: 5 }));
    await store.deregister("g", a, { seq: 4, level: 2 });
    expect(await store.inspect("g")).toMatchObject({ memberCount: 1 });
    const requests = [1, 2, 3].map(() => permitRequest({ maxReserved: 3, keepMs: 0 }));
    for (const request of requests) await store.reserve("k", request);
    await store.release("k", { id: requests[1]?.id as string, keep: 0 });
    await store.reserve("k", permitRequest({ maxReserved: 3 }));
    const waiting = permitRequest({ queueMs: 50 });
    for (let twice = 0; twice < 2; twice++) await store.reserve("k", waiting);
    await store.release("k", { id: waiting.id, keep: 0 });
    await admin.run("DROP PUBLICATION everything");
  });
});

/** A process of its own that joins when told; resolves with what tells it. */
async function startJoiner(into: string, id: string): Promise<() => Promise<MemberView>> {
  const child = new SourceProcess(new URL("./support/joiner.ts", import.meta.url), [server.url, into, "g", id]);
  keep({ close: () => child.kill() });
  await child.said("ready");
  return async () => {
    child.tell("go");
    const view = JSON.parse(await child.said("joined")) as MemberView;
    await child.finished();
    return view;
  };
}
