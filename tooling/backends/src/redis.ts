import { writeFile } from "node:fs/promises";
import { makeCertificate } from "./certificate.ts";
import { startContainer } from "./container.ts";
import { dockerAnswers } from "./docker-engine.ts";
import { foreignServer } from "./foreign-server.ts";
import { LocalServer } from "./local-server.ts";
import { requireProgram } from "./program.ts";
import { type RedisAddress, withRedis } from "./redis-client.ts";
import { redisConfig } from "./redis-config.ts";
import { redisProgram } from "./redis-program.ts";
import type { RunningServer } from "./running-server.ts";
import { withoutPassword } from "./without-password.ts";

/** Any option at all asks for a Redis of our own: a local process. Without one, an address or a container will do. */
export interface RedisOptions {
  /** A local process, so that `kill`, `pause`, `resume` and `restart` work. */
  readonly control?: boolean;
  /** Password of the default user. */
  readonly password?: string;
  /** ACL users, in the words of redis.conf: "alice on >secret ~dt:* &* +@all". */
  readonly users?: readonly string[];
  /** TLS only, with a self-signed certificate; `ca` has it. */
  readonly tls?: boolean;
  /** Starts as a replica; ready when it has the master's data. */
  readonly replicaOf?: { readonly host: string; readonly port: number };
  /** Commands the server shall not know, such as "EVALSHA". */
  readonly disabledCommands?: readonly string[];
  /**
   * Default true: `restart({ keepData: true })` finds everything even after `kill()`. False: only after a graceful
   * stop.
   */
  readonly appendOnly?: boolean;
  /** Further lines of redis.conf. */
  readonly config?: Readonly<Record<string, string>>;
}

/** A Redis that answers. */
export interface RedisServer extends RunningServer {
  /** redis://... or rediss://..., with the default user's password. */
  readonly url: string;
  /** The certificate to trust, PEM; only with `tls`. */
  readonly ca?: string;
}

/**
 * A Redis: the one at `DT_REDIS_URL`, a container, or a local process, in this order; with any option, a local process.
 * The server at `DT_REDIS_URL` is shared and never emptied: use key prefixes of your own.
 * @throws Error that says what is missing and how to install it
 */
export async function startRedis(options: RedisOptions = {}): Promise<RedisServer> {
  if (Object.keys(options).length === 0) {
    const { DT_REDIS_URL: url } = process.env;
    if (url !== undefined && url !== "") return fromAddress(url);
    if (await dockerAnswers()) return fromContainer();
  }
  return fromProgram(options);
}

async function fromAddress(url: string): Promise<RedisServer> {
  try {
    await withRedis(url, (client) => client.ping());
  } catch (error) {
    throw new Error(`DT_REDIS_URL=${withoutPassword(url)} does not answer PING: ${(error as Error).message}`, {
      cause: error,
    });
  }
  const { hostname: host, port } = new URL(url);
  const facts = {
    origin: "environment",
    host,
    port: Number(port || 6379),
    starter: "startRedis",
    stop: async () => {},
  } as const;
  return Object.assign(foreignServer(facts), { url });
}

async function fromContainer(): Promise<RedisServer> {
  const container = await startContainer({
    image: "redis:7-alpine",
    imageVariable: "DT_REDIS_IMAGE",
    command: (port) => ["redis-server", "--port", String(port), "--save", "", "--protected-mode", "no"],
    probe: (host, port) => withRedis({ host, port }, (client) => client.ping()),
  });
  const { host, port, stop } = container;
  const server = foreignServer({ origin: "docker", host, port, starter: "startRedis", stop });
  return Object.assign(server, { url: `redis://${host}:${port}` });
}

async function fromProgram(options: RedisOptions): Promise<RedisServer> {
  const command = await requireProgram(redisProgram);
  let ca: string | undefined;
  const address = (port: number): RedisAddress => ({ host: "127.0.0.1", port, password: options.password, ca });
  const server = await LocalServer.start({
    name: "redis-server",
    prepare: async (sandbox, port) => {
      const certificate = options.tls === true ? await makeCertificate(sandbox) : undefined;
      ca = certificate?.ca;
      const place = { port, folder: sandbox.path("data"), tls: certificate };
      await writeFile(sandbox.path("redis.conf"), redisConfig(options, place));
    },
    plan: (sandbox, port) => ({
      command,
      args: [sandbox.path("redis.conf")],
      probe: () => probe(address(port), options.replicaOf !== undefined),
    }),
  });
  const credentials = options.password === undefined ? "" : `:${encodeURIComponent(options.password)}@`;
  const url = `${options.tls === true ? "rediss" : "redis"}://${credentials}${server.host}:${server.port}`;
  return Object.assign(server, ca === undefined ? { url } : { url, ca });
}

async function probe(address: RedisAddress, isReplica: boolean): Promise<void> {
  await withRedis(address, async (client) => {
    try {
      await client.ping();
    } catch (error) {
      // Refusing us is an answer too: the default user may have been turned off.
      if (!/^(NOAUTH|WRONGPASS|NOPERM)/.test((error as Error).message)) throw error;
      return;
    }
    if (!isReplica) return;
    const facts = await client.info("replication");
    // A replica that was promoted has no master any more, and comes back as one itself.
    if (!facts.includes("master_link_status:up") && !facts.includes("role:master"))
      throw new Error("the replica has no link to its master yet");
  });
}
