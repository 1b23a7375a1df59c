import { startPostgres } from "@dt-tooling/backends";
import pg from "pg";
import { type RunStore, timeout } from "./run-store.ts";

export const postgres: RunStore = {
  name: "postgres",
  async start() {
    const server = await startPostgres({ control: true, config: { fsync: "on" } });
    const admin = new pg.Client(server.url);
    await admin.connect();
    const { rows } = await admin.query<{ server_version: string }>("SHOW server_version");
    await admin.end();
    return {
      module: "@dt/postgres",
      factory: "postgresStore",
      options: { connectionString: server.url, push: true, timeout },
      configuration: `PostgreSQL ${rows[0]?.server_version} on loopback, fsync on, push on`,
      stop: () => server.stop(),
    };
  },
};
