import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { promisify } from "node:util";
import { type Certificate, makeCertificate } from "./certificate.ts";
import { startContainer } from "./container.ts";
import { dockerAnswers } from "./docker-engine.ts";
import { foreignServer } from "./foreign-server.ts";
import { fillDataFolder } from "./initdb.ts";
import { LocalServer } from "./local-server.ts";
import { type Program, requireProgram } from "./program.ts";
import type { RunningServer } from "./running-server.ts";
import type { Sandbox } from "./sandbox.ts";
import { serviceUser } from "./service-user.ts";
import { runSql } from "./sql.ts";
import { withoutPassword } from "./without-password.ts";

const run = promisify(execFile);

/**
 * Any option at all asks for a PostgreSQL of our own: a local process. Without one, an address or a container will do.
 */
export interface PostgresOptions {
  /** A local process, so that `kill`, `pause`, `resume` and `restart` work. */
  readonly control?: boolean;
  /** Password of the user `postgres` (SCRAM). Without it everybody on this machine is trusted. */
  readonly password?: string;
  /** TLS only, with a self-signed certificate; `ca` has it. */
  readonly tls?: boolean;
  /** Further settings of postgresql.conf, such as `{ fsync: "on" }`. */
  readonly config?: Readonly<Record<string, string>>;
}

/** A PostgreSQL that answers, with an empty database `postgres`. */
export interface PostgresServer extends RunningServer {
  /** postgres://..., as the superuser `postgres`, with the password when there is one. */
  readonly url: string;
  /** The certificate to trust, PEM; only with `tls`. */
  readonly ca?: string;
}

const folders = ["/usr/lib/postgresql/*/bin", "/opt/homebrew/opt/postgresql@*/bin", "/usr/local/opt/postgresql@*/bin"];
const aptPackage = "postgresql";
const hint =
  "Install PostgreSQL (Debian: apt-get install postgresql, macOS: brew install postgresql@17), or set DT_POSTGRES_URL for what needs no control over the server.";
const initdb: Program = { command: "initdb", aptPackage, folders, hint };
const postgres: Program = { command: "postgres", aptPackage, folders, hint };

// A killed process loses nothing that it has written, so there is no fsync. Full page writes stay on: SIGKILL can tear
// an 8 kB page in two, since the kernel copies it in pages of 4 kB and looks for a fatal signal between them. Dynamic
// shared memory lives in the data folder, so that a killed server leaves none in /dev/shm.
const settings: Readonly<Record<string, string>> = {
  fsync: "off",
  full_page_writes: "on",
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  dynamic_shared_memory_type: "mmap",
  shared_buffers: "32MB",
  max_connections: "200",
};

/**
 * A PostgreSQL: the one at `DT_POSTGRES_URL`, a container, or a local process, in this order; with any option, a local
 * process. The server at `DT_POSTGRES_URL` is shared: use a schema of your own.
 * @throws Error that says what is missing and how to install it
 */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  if (Object.keys(options).length === 0) {
    const { DT_POSTGRES_URL: url } = process.env;
    if (url !== undefined && url !== "") return fromAddress(url);
    if (await dockerAnswers()) return fromContainer();
  }
  return fromProgram(options);
}

async function fromAddress(url: string): Promise<PostgresServer> {
  try {
    await runSql({ url }, "SELECT 1");
  } catch (error) {
    const what = `DT_POSTGRES_URL=${withoutPassword(url)} does not answer SELECT 1`;
    throw new Error(`${what}: ${(error as Error).message}`, { cause: error });
  }
  const { hostname: host, port } = new URL(url);
  const starter = "startPostgres";
  const facts = { origin: "environment", host, port: Number(port || 5432), starter, stop: async () => {} } as const;
  return Object.assign(foreignServer(facts), { url });
}

async function fromContainer(): Promise<PostgresServer> {
  const urlOf = (host: string, port: number): string => `postgres://postgres@${host}:${port}/postgres`;
  const { host, port, stop } = await startContainer({
    image: "postgres:17-alpine",
    imageVariable: "DT_POSTGRES_IMAGE",
    command: (port) => ["postgres", "-p", String(port), "-c", "fsync=off", "-c", "max_connections=200"],
    env: { POSTGRES_HOST_AUTH_METHOD: "trust" },
    probe: (host, port) => runSql({ url: urlOf(host, port) }, "SELECT 1"),
  });
  const server = foreignServer({ origin: "docker", host, port, starter: "startPostgres", stop });
  return Object.assign(server, { url: urlOf(host, port) });
}

async function fromProgram(options: PostgresOptions): Promise<PostgresServer> {
  const programs = { initdb: await requireProgram(initdb), postgres: await requireProgram(postgres) };
  let certificate: Certificate | undefined;
  const credentials = options.password === undefined ? "" : `:${encodeURIComponent(options.password)}`;
  const urlOf = (port: number): string => `postgres://postgres${credentials}@127.0.0.1:${port}/postgres`;
  const server = await LocalServer.start({
    name: "postgres",
    user: serviceUser(),
    prepare: async (sandbox) => {
      certificate = options.tls === true ? await makeCertificate(sandbox) : undefined;
      const connection = options.tls === true ? "hostssl" : "host";
      const method = options.password === undefined ? "trust" : "scram-sha-256";
      await writeFile(sandbox.path("pg_hba.conf"), `${connection} all all 127.0.0.1/32 ${method}\n`);
      await writeFile(sandbox.path("password"), `${options.password ?? "unused"}\n`);
      await sandbox.own(sandbox.path("pg_hba.conf"), sandbox.path("password"));
    },
    initialise: (sandbox) => fillDataFolder(programs.initdb, sandbox, options.password !== undefined),
    discard: removeSharedMemory,
    plan: (sandbox, port) => ({
      command: programs.postgres,
      args: serverArgs(sandbox, port, { ...settings, ...tlsSettings(certificate), ...options.config }),
      stopSignal: "SIGINT", // "Fast": clients are disconnected, and a checkpoint is written.
      probe: () => runSql({ url: urlOf(port), ca: certificate?.ca }, "SELECT 1"),
    }),
  });
  const url = urlOf(server.port);
  return Object.assign(server, certificate === undefined ? { url } : { url, ca: certificate.ca });
}

function tlsSettings(certificate: Certificate | undefined): Record<string, string> {
  if (certificate === undefined) return {};
  return { ssl: "on", ssl_cert_file: certificate.certFile, ssl_key_file: certificate.keyFile };
}

function serverArgs(sandbox: Sandbox, port: number, all: Readonly<Record<string, string>>): string[] {
  const files = { hba_file: sandbox.path("pg_hba.conf") };
  const assignments = Object.entries({ ...files, ...all }).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  return ["-D", sandbox.path("data"), "-p", String(port), ...assignments];
}

/**
 * A killed server leaves the System V segment by which it knows a second one on its data; its pid file ends line 7 with
 * the id.
 */
async function removeSharedMemory(sandbox: Sandbox): Promise<void> {
  const pidFile = await readFile(sandbox.path("data", "postmaster.pid"), "utf8").catch(() => "");
  const id = pidFile.split("\n")[6]?.trim().split(/\s+/).at(-1);
  if (id !== undefined && /^\d+$/.test(id)) await run("ipcrm", ["-m", id]).catch(() => {}); // Gone already is fine.
}
