import type { PostgresClient, PostgresPool } from "./postgres-pool.ts";

/**
 * A connection from the pool. Rejects at once when the signal aborts; the pool cannot be told, so a connection that
 * comes later goes straight back.
 * @param onGivenUp called when the signal aborts before the pool has answered; what it returns is called when the pool
 *   has, if ever
 */
export function acquire(
  pool: PostgresPool,
  signal: AbortSignal,
  onGivenUp: () => () => void = () => () => {},
): Promise<PostgresClient> {
  return new Promise((resolve, reject) => {
    let onSettled = (): void => {};
    const giveUp = (): void => {
      onSettled = onGivenUp();
      reject(signal.reason);
    };
    if (signal.aborted) return reject(signal.reason);
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
