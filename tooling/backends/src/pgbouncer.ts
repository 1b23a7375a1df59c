import { writeFile } from "node:fs/promises";
import { LocalServer } from "./local-server.ts";
import type { PostgresServer } from "./postgres.ts";
import { type Program, requireProgram } from "./program.ts";
import type { RunningServer } from "./running-server.ts";
import { serviceUser } from "./service-user.ts";
import { runSql } from "./sql.ts";

export interface PgBouncerOptions {
  /** When a server connection goes back to the pool. Default "transaction". */
  readonly poolMode?: "session" | "transaction" | "statement";
  /** Server connections per database and user. Default 20, PgBouncer's own. */
  readonly connections?: number;
}

/** A PgBouncer in front of a PostgreSQL. Clients log in as anybody; the server sees the user of `postgres.url`. */
export interface PgBouncerServer extends RunningServer {
  readonly url: string;
}

const program: Program = {
  command: "pgbouncer",
  aptPackage: "pgbouncer",
  hint: "Install PgBouncer (Debian: apt-get install pgbouncer, macOS: brew install pgbouncer).",
};

/** Starts a PgBouncer, always as a local process; ready when it has passed a statement on to the PostgreSQL. */
export async function startPgBouncer(
  postgres: PostgresServer,
  options: PgBouncerOptions = {},
): Promise<PgBouncerServer> {
  const { poolMode = "transaction", connections = 20 } = options;
  const command = await requireProgram(program);
  const target = new URL(postgres.url);
  const urlOf = (port: number): string => `postgres://postgres@127.0.0.1:${port}${target.pathname}`;
  const server = await LocalServer.start({
    name: "pgbouncer",
    user: serviceUser(),
    prepare: async (sandbox, port) => {
      const file = sandbox.path("pgbouncer.ini");
      await writeFile(file, configuration(target, port, poolMode, connections));
      await sandbox.own(file);
    },
    plan: (sandbox, port) => ({
      command,
      args: [sandbox.path("pgbouncer.ini")],
      stopSignal: "SIGTERM", // Immediate; SIGINT would wait for the clients.
      probe: () => runSql({ url: urlOf(port) }, "SELECT 1"),
    }),
  });
  return Object.assign(server, { url: urlOf(server.port) });
}

function configuration(target: URL, port: number, poolMode: string, connections: number): string {
  const quote = (value: string): string => `'${decodeURIComponent(value).replaceAll("'", "''")}'`;
  const login = [`user=${quote(target.username || "postgres")}`];
  if (target.password !== "") login.push(`password=${quote(target.password)}`);
  return [
    "[databases]",
    `* = host=${target.hostname} port=${target.port || 5432} ${login.join(" ")}`,
    "[pgbouncer]",
    "listen_addr = 127.0.0.1",
    `listen_port = ${port}`,
    "unix_socket_dir =",
    "auth_type = any",
    `pool_mode = ${poolMode}`,
    `default_pool_size = ${connections}`,
    "max_client_conn = 1000",
    "server_tls_sslmode = prefer",
    "",
  ].join("\n");
}
