import { readFileSync, statSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { startPostgres } from "../src/postgres.ts";
import { isAlive, processTree } from "../src/process-tree.ts";
import { runSql } from "../src/sql.ts";
import { expectNothingLeft } from "./leftovers.ts";
import { withVariable } from "./with-variable.ts";

/**
 * The System V segments a process has made (Linux; the 5th column is the maker). A killed PostgreSQL would leave its
 * one.
 */
function segmentsOf(pid: number): string[] {
  if (process.platform !== "linux") return [];
  const lines = readFileSync("/proc/sysvipc/shm", "utf8").trim().split("\n").slice(1);
  return lines.filter((line) => Number(line.trim().split(/\s+/)[4]) === pid);
}

// At the same time: each has a server of its own.
describe.concurrent("a local PostgreSQL", () => {
  test("runs as somebody else than root, and leaves nothing behind when stopped", async () => {
    const postgres = await startPostgres({ control: true });
    const pid = postgres.pid as number;
    const pids = processTree(pid);
    expect(pids.length).toBeGreaterThan(2);
    // PostgreSQL refuses data that belong to somebody else than the user it runs as.
    expect(statSync(`${postgres.folder}/data`).uid).not.toBe(0);
    expect(segmentsOf(pid).length).toBe(process.platform === "linux" ? 1 : 0);
    expect(await runSql(postgres, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
    await Promise.all([postgres.stop(), postgres.stop()]);
    expectNothingLeft(pids, postgres.folder);
    expect(segmentsOf(pid)).toEqual([]);
  });

  test("does not answer while paused, with its backends, and goes on when resumed", async () => {
    await using postgres = await startPostgres({ control: true });
    await postgres.pause();
    await expect(runSql(postgres, "SELECT 1")).rejects.toThrow(/timeout/);
    await postgres.resume();
    expect(await runSql(postgres, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
  });

  test("recovers every acknowledged commit after kill -9, on its port", async () => {
    await using postgres = await startPostgres({ control: true });
    const { pid, port } = postgres;
    await runSql(postgres, "CREATE TABLE t AS SELECT g FROM generate_series(1, 10000) g");
    await runSql(postgres, "INSERT INTO t VALUES (10001)");
    const pids = processTree(pid as number);
    await postgres.kill();
    expect(pids.filter(isAlive)).toEqual([]);
    await expect(runSql(postgres, "SELECT 1")).rejects.toThrow();
    await postgres.restart({ keepData: true });
    expect(postgres.port).toBe(port);
    expect(await runSql(postgres, "SELECT count(*)::int AS n FROM t")).toEqual([{ n: 10_001 }]);
  });

  test("comes back with its data after a graceful restart, and empty without them", async () => {
    await using postgres = await startPostgres({ control: true });
    await runSql(postgres, "CREATE TABLE t ()");
    await postgres.restart({ keepData: true });
    expect(await runSql(postgres, "SELECT count(*)::int AS n FROM t")).toEqual([{ n: 0 }]);
    const pid = postgres.pid as number;
    await postgres.pause();
    await postgres.restart({ keepData: false });
    await expect(runSql(postgres, "SELECT * FROM t")).rejects.toThrow('relation "t" does not exist');
    expect(segmentsOf(pid)).toEqual([]);
  });

  test("asks for a password and speaks only TLS when told to", async () => {
    await using postgres = await startPostgres({ password: "p'w /d", tls: true, config: { max_connections: "7" } });
    expect(await runSql(postgres, "SHOW max_connections")).toEqual([{ max_connections: "7" }]);
    await expect(runSql({ url: postgres.url }, "SELECT 1")).rejects.toThrow("no encryption");
    const wrong = `postgres://postgres:wrong@${postgres.host}:${postgres.port}/postgres`;
    await expect(runSql({ url: wrong, ca: postgres.ca }, "SELECT 1")).rejects.toThrow("password authentication failed");
  });

  test("shows its log when it cannot start", async () => {
    await expect(startPostgres({ config: { no_such_setting: "1" } })).rejects.toThrow(
      /did not start[\s\S]*no_such_setting/,
    );
  });
});

describe("a PostgreSQL found through DT_POSTGRES_URL", () => {
  test("is used for a plain start, is not ours to kill, and stays when stopped", async () => {
    await using own = await startPostgres({ control: true });
    await withVariable("DT_POSTGRES_URL", own.url, async () => {
      const found = await startPostgres();
      expect([found.origin, found.canControl, found.url]).toEqual(["environment", false, own.url]);
      await expect(found.pause()).rejects.toThrow("startPostgres({ control: true })");
      await found.stop();
      expect(await runSql(found, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
    });
  });

  test("is named when it does not answer", async () => {
    await withVariable("DT_POSTGRES_URL", "postgres://u:secret@127.0.0.1:1/x", async () => {
      await expect(startPostgres()).rejects.toThrow("DT_POSTGRES_URL=postgres://***@127.0.0.1:1/x does not answer");
    });
  });
});
