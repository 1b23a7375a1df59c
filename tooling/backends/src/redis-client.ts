import { Redis } from "ioredis";

/** Where a Redis listens and as whom to speak to it. */
export interface RedisAddress {
  readonly host: string;
  readonly port: number;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  /** PEM text to trust; its presence turns TLS on. */
  readonly ca?: string | undefined;
}

const deadlineMs = 10_000;

/**
 * A client for one conversation: no reconnecting, no resending, an answer or an error within ten seconds per command.
 */
export async function withRedis<T>(address: RedisAddress | string, talk: (client: Redis) => Promise<T>): Promise<T> {
  const settings = {
    lazyConnect: true,
    enableReadyCheck: false,
    enableOfflineQueue: false,
    protocol: 2 as const,
    disableClientInfo: true,
    retryStrategy: () => null,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    connectTimeout: deadlineMs,
    commandTimeout: deadlineMs,
  };
  const client =
    typeof address === "string"
      ? new Redis(address, settings)
      : new Redis({
          ...settings,
          host: address.host,
          port: address.port,
          ...(address.username === undefined ? {} : { username: address.username }),
          ...(address.password === undefined ? {} : { password: address.password }),
          ...(address.ca === undefined ? {} : { tls: { ca: address.ca } }),
        });
  let connectionError: Error | undefined;
  client.on("error", (error: Error) => {
    connectionError = error;
  });
  try {
    await client.connect();
    return await talk(client);
  } catch (error) {
    // What ioredis rejects with says "Connection is closed."; why, only the event says.
    throw connectionError ?? error;
  } finally {
    client.disconnect();
  }
}
