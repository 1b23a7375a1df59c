import { Client } from "pg";

const deadlineMs = 10_000;

/** Runs one statement on a connection of its own and returns the rows; connecting and the query each have 10 s. */
export async function runSql(
  server: { readonly url: string; readonly ca?: string | undefined },
  sql: string,
  values: readonly unknown[] = [],
): Promise<readonly Record<string, unknown>[]> {
  const client = new Client({
    connectionString: server.url,
    connectionTimeoutMillis: deadlineMs,
    query_timeout: deadlineMs,
    ...(server.ca === undefined ? {} : { ssl: { ca: server.ca } }),
  });
  client.on("error", () => {}); // A connection that breaks between two calls; the call under way rejects by itself.
  try {
    await client.connect();
    return (await client.query<Record<string, unknown>>(sql, [...values])).rows;
  } finally {
    await client.end();
  }
}
