import type { PostgresClient, PostgresPool } from "./postgres-pool.ts";

/**
 * A connection from the pool. Rejects at once when the signal aborts; the pool cannot be told, so a connection that comes later goes
 * straight back.
 * @param onSettled called when the pool has answered, however late
 */
export function acquire(pool: PostgresPool, signal: AbortSignal, onSettled: () => void): Promise<PostgresClient> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(signal.reason);
    if (signal.aborted) {
      onSettled();
      giveUp();
      return;
    }
    signal.addEventListener("abort", giveUp, { once: true });
    connect(pool)
      .then(
        (client) => {
          if (signal.aborted) client.release();
          else resolve(client);
        },
        (error: unknown) => reject(error),
      )
      .finally(() => {
        signal.removeEventListener("abort", giveUp);
        onSettled();
      });
  });
}

/** Also a pool that throws at once rejects. */
async function connect(pool: PostgresPool): Promise<PostgresClient> {
  return pool.connect();
}
