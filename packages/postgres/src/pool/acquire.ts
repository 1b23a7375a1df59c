import type { PostgresClient, PostgresPool } from "./postgres-pool.ts";

/** A pool that may take a callback, and then answers nothing. */
interface CallbackPool {
  connect(callback: (error: unknown, client: PostgresClient | undefined) => void): unknown;
}

/**
 * A connection from the pool, to be given back by {@link giveBack}. Rejects at once when the signal aborts; the pool
 * cannot be told, so a connection that comes later goes straight back.
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
          if (signal.aborted) giveBack(client);
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

/** Gives a connection back to its pool, or ends it. */
export function giveBack(client: PostgresClient, destroy = false): void {
  client.removeListener("error", ignore);
  client.release(destroy);
}

/**
 * A connection may be opened and ended by one piece of what the server sends, as when it shuts down. `pg` then tells of
 * the end in the same turn, and a connection without a listener ends the process; code that waits for a promise runs
 * later. So it is asked for with a callback, which runs in that turn. Pools that know promises alone answer with one.
 */
function connect(pool: PostgresPool): Promise<PostgresClient> {
  return new Promise((resolve, reject) => {
    const take = (client: PostgresClient): void => {
      client.on("error", ignore);
      resolve(client);
    };
    const answer: unknown = (pool as CallbackPool).connect((error, client) => (client ? take(client) : reject(error)));
    if (answer !== undefined) Promise.resolve(answer as Promise<PostgresClient>).then(take, reject);
  });
}

/** What `pg` also rejects with, and what shows with the next statement. */
function ignore(): void {}
