import { type RedisOptions, type RedisServer, startRedis } from "@dt-tooling/backends";
import { Redis } from "ioredis";
import { onTestFinished } from "vitest";
import { type RedisStore, type RedisStoreOptions, redisStore } from "../../src/index.ts";

/** Calls this after the test, in reverse order. */
export function afterwards(end: () => unknown): void {
  onTestFinished(async () => {
    await end();
  });
}

/** A server of the test's own. */
export async function ownServer(options: RedisOptions = { control: true }): Promise<RedisServer> {
  const server = await startRedis(options);
  afterwards(() => server.stop());
  return server;
}

export function openStore(options: RedisStoreOptions): RedisStore {
  const store = redisStore(options);
  afterwards(() => store.close());
  return store;
}

/**
 * A client as a user would hand it in, with the one option that has to be given; its errors are nobody's business here.
 */
export function openClient(url: string): Redis {
  const client = new Redis(url, { autoResendUnfulfilledCommands: false });
  client.on("error", () => {});
  afterwards(() => client.disconnect());
  return client;
}
