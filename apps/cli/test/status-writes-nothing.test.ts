import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { DynamoDBClient, ListTablesCommand, ScanCommand } from "@aws-sdk/client-dynamodb";
import { createTable } from "@dt/dynamodb";
import { startDynamoDb, startEtcd, startPostgres, startRedis } from "@dt-tooling/backends";
import { runSql } from "@dt-tooling/backends/sql";
import { newcomer, permitRequest, spendRequest } from "@dt-tooling/simulator/requests";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { AnyStore } from "../src/stores/in-store.ts";
import { openStore } from "../src/stores/open-store.ts";
import { parseStoreAddress } from "../src/stores/store-address.ts";
import { run } from "./support/run.ts";
import { scratchFolder } from "./support/scratch.ts";

/** The member of these tests reports nothing, however long they take. */
const LATE = ["--silent-after", "1h"];

/** What reads a store, or finds that there is nothing to do. */
const READING: readonly (readonly string[])[] = [
  ["status", ...LATE],
  ["status", "--json", ...LATE],
  ["status", "payments", ...LATE],
  ["status", "emails"],
  ["status", "llm"],
  ["status", "api", "--key", "tenant-17"],
  ["repair", "throttle", "paymnets"],
  ["repair", "throttle", "paymnets", "--reset"],
  ["repair", "pacer", "emials"],
  ["repair", "budget", "lmm"],
];

interface Place {
  /** For the command line. */
  readonly address: string;
  /** All that a command could have written. */
  look(): Promise<unknown>;
  stop(): Promise<unknown>;
}

const places: Record<string, () => Promise<Place>> = {
  sqlite: async () => {
    const path = join(scratchFolder(afterAll), "ledger.db");
    const look = async (): Promise<unknown> => files(dirname(path));
    return { address: `sqlite:${path}`, look, stop: async () => {} };
  },
  redis: async () => {
    const server = await startRedis();
    const redis = new Redis(server.url);
    // How many changes the server has counted.
    const look = async (): Promise<unknown> =>
      /rdb_changes_since_last_save:\d+/.exec(await redis.info("persistence"))?.[0];
    return { address: server.url, look, stop: async () => [redis.disconnect(), await server.stop()] };
  },
  postgres: async () => {
    const server = await startPostgres({ control: true, config: { autovacuum: "off" } });
    // Whatever is written takes a number from the server.
    const look = (): Promise<unknown> => runSql(server, "SELECT pg_snapshot_xmax(pg_current_snapshot())::text");
    return { address: server.url, look, stop: () => server.stop() };
  },
  etcd: async () => {
    const server = await startEtcd({ control: true });
    const [url = ""] = server.endpoints;
    const look = async (): Promise<unknown> => {
      const all = { key: "AA==", range_end: "AA==", keys_only: true };
      const answer = await fetch(`${url}/v3/kv/range`, { method: "POST", body: JSON.stringify(all) });
      return ((await answer.json()) as { header: { revision: string } }).header.revision;
    };
    return { address: url.replace("http:", "etcd:"), look, stop: () => server.stop() };
  },
  dynamodb: async () => {
    const server = await startDynamoDb({ control: true });
    const { url, region, credentials } = server;
    const client = new DynamoDBClient({ endpoint: url, region, credentials });
    await createTable(client, "throttle");
    vi.stubEnv("AWS_ACCESS_KEY_ID", credentials.accessKeyId);
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", credentials.secretAccessKey);
    const look = async (): Promise<unknown> => {
      const { Items: items } = await client.send(new ScanCommand({ TableName: "throttle" }));
      return [await client.send(new ListTablesCommand()).then(({ TableNames: names }) => names), items];
    };
    const address = `dynamodb:throttle?region=${region}&endpoint=${encodeURIComponent(url)}`;
    return { address, look, stop: async () => [vi.unstubAllEnvs(), client.destroy(), await server.stop()] };
  },
};

describe.each(Object.keys(places))("on %s", (kind) => {
  let place: Place;

  beforeAll(async () => {
    place = await (places[kind] as () => Promise<Place>)();
    const store: AnyStore = await openStore(parseStoreAddress(place.address));
    await store.setUp?.();
    await store.register("payments", newcomer({ staleAfterMs: 3_600_000 }));
    await store.reserve?.("emails", permitRequest({ everyMs: 3_600_000, keepMs: 3_600_000 }));
    await store.spend?.("llm", spendRequest({ keepMs: 3_600_000 }));
    const limit = { max: 1, windowMs: 3_600_000, burst: 1 };
    const take = { cost: 1, maxWaitMs: 0, ahead: 0, aheadWithinMs: 0 };
    await store.take?.([{ name: "api", key: "tenant-17", limit, take }]);
    await store.close();
  });

  afterAll(() => place?.stop());

  test.each(READING)("dt %s writes nothing", async (command, ...rest) => {
    const before = await place.look();
    const { code, stdout, stderr } = await run(command as string, place.address, ...rest);
    expect(stderr).toBe("");
    expect(code).toBe(0);
    const [first = "payments", second = ""] = rest[0]?.startsWith("-") ? [] : rest;
    const name = command === "repair" ? second : first;
    expect(stdout).toContain(name);
    if (["paymnets", "emials", "lmm"].includes(name))
      expect(stdout).toMatch(/^(There is no|Nothing is (reserved|spent) of)/);
    expect(await place.look()).toEqual(before);
  });

  test("dt status has every kind of limiter", async () => {
    const args = ["--json", "--sort", "name", ...LATE];
    const { limiters } = JSON.parse((await run("status", place.address, ...args)).stdout);
    expect(limiters).toMatchObject([
      { kind: "keyed", name: "api", keys: { count: 1, read: 1, limited: 1, busiest: [{ key: "tenant-17", max: 1 }] } },
      { kind: "pacer", name: "emails", waiting: 0, reservedForMs: expect.any(Number) },
      { kind: "budget", name: "llm", open: 1, limits: [{ name: "calls", used: 1, max: 10 }, { name: "tokens" }] },
      {
        ...{ kind: "throttle", name: "payments", findings: [], limits: [{ name: "tokens", max: 10, windowMs: 1_000 }] },
        members: [{ held: 10, evenShare: 10, max: 10, used: null, waiting: null, state: "active" }],
      },
    ]);
  });

  test.each([[["paymnets"]], [["apy"]], [["paymnets", "--json"]], [["api", "--key", "tenant-71"]]])(
    "dt status %j, which is not there, writes nothing",
    async (args) => {
      const before = await place.look();
      const { code, stderr } = await run("status", place.address, ...args);
      expect(code).toBe(1);
      expect(stderr).toMatch(/^error: .*(there is no limiter|nothing is used of the key) .*; did you mean .*\?\n$/);
      expect(await place.look()).toEqual(before);
    },
  );
});

describe("where there is no store yet", () => {
  test.each(READING)("dt %s makes no file, and says so", async (command, ...rest) => {
    const folder = scratchFolder();
    const { code, stdout, stderr } = await run(command as string, `sqlite:${join(folder, "absent.db")}`, ...rest);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toContain(`there is no file ${join(folder, "absent.db")}`);
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each(READING)(
    "dt %s makes no tables in a file without them, nor brings others up to date",
    async (command, ...rest) => {
      const folder = scratchFolder();
      const paths = ["empty.db", "other.db", "text.db"].map((name) => join(folder, name));
      const [empty = "", other = "", text = ""] = paths;
      writeFileSync(empty, "");
      new DatabaseSync(other).exec("CREATE TABLE customers (id int)");
      writeFileSync(text, "no database at all\n".repeat(500));
      const before = files(folder);
      const problems = ["has no tables of the store", "is a database of another program", "is not an SQLite database"];
      for (const [i, path] of paths.entries()) {
        const { code, stdout, stderr } = await run(command as string, `sqlite:${path}`, ...rest);
        expect([code, stdout]).toEqual([1, ""]);
        expect(stderr).toContain(`${basename(path)} ${problems[i]}`);
      }
      expect(files(folder)).toEqual(before);
    },
  );

  test("no command makes a schema, or touches one from before format 1", async () => {
    const server = await startPostgres({ control: true });
    for (const [command = "", ...rest] of READING) {
      const { code, stdout, stderr } = await run(command, server.url, ...rest);
      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr).toContain('schema "dt" of the database has no tables of the store');
    }
    expect(await runSql(server, "SELECT nspname FROM pg_namespace WHERE nspname = 'dt'")).toEqual([]);
    await runSql(server, "CREATE SCHEMA dt");
    await runSql(server, "CREATE TABLE dt.dt_version AS SELECT 1 AS version");
    expect((await run("status", server.url)).stderr).toContain("tables of @dt/postgres from before format 1");
    expect(await runSql(server, "SELECT version FROM dt.dt_version")).toEqual([{ version: 1 }]);
    await server.stop();
  });
});

/** Each file of a folder, and what is in it. */
function files(folder: string): unknown {
  return readdirSync(folder).map((name) => [name, hash(readFileSync(join(folder, name)))]);
}

function hash(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}
