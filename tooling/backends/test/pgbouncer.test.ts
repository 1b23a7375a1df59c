import { Client } from "pg";
import { describe, expect, test } from "vitest";
import { startPgBouncer } from "../src/pgbouncer.ts";
import { startPostgres } from "../src/postgres.ts";
import { runSql } from "../src/sql.ts";
import { expectNothingLeft } from "./leftovers.ts";

describe("PgBouncer in front of PostgreSQL", () => {
  test("serves two open connections from one server connection in transaction mode", async () => {
    await using postgres = await startPostgres({ password: "it's a secret" });
    await using bouncer = await startPgBouncer(postgres, { poolMode: "transaction", connections: 1 });
    const clients = [new Client(bouncer.url), new Client(bouncer.url)];
    const pids = new Set<unknown>();
    try {
      for (const client of clients) {
        await client.connect();
        const { rows } = await client.query("SELECT pg_backend_pid() AS pid, current_user AS who");
        expect(rows[0].who).toBe("postgres");
        pids.add(rows[0].pid);
      }
    } finally {
      for (const client of clients) await client.end();
    }
    expect(pids.size).toBe(1);
  });

  test("is paused, killed and restarted without harm to the server behind it, and leaves nothing", async () => {
    await using postgres = await startPostgres({ control: true });
    const bouncer = await startPgBouncer(postgres);
    const answers = () => runSql(bouncer, "SELECT 1 AS one");
    await bouncer.pause();
    await expect(answers()).rejects.toThrow(/timeout/);
    await bouncer.resume();
    expect(await answers()).toEqual([{ one: 1 }]);
    await bouncer.kill();
    await expect(answers()).rejects.toThrow();
    expect(await runSql(postgres, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
    await bouncer.restart({ keepData: true });
    expect(await answers()).toEqual([{ one: 1 }]);
    const pid = bouncer.pid as number;
    await bouncer.stop();
    expectNothingLeft([pid], bouncer.folder);
  });
});
