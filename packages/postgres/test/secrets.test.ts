import { createThrottle } from "@dt/core";
import { startPostgres } from "@dt-tooling/backends";
import { expectNoSecret } from "@dt-tooling/backends/expect-no-secret";
import { failure } from "@dt-tooling/backends/failure";
import { newcomer } from "@dt-tooling/simulator/requests";
import { describe, expect, test } from "vitest";
import type { PostgresStoreOptions } from "../src/index.ts";
import { keep, openPool, openStore, server, useOwnServer } from "./support/own-server.ts";

useOwnServer();

/** What a user may print or send on when the server refuses: the password is in none of it. */

const SECRET = "pässwörd & more";
const quoted = encodeURIComponent(SECRET);

/** Everything that a store and a throttle on it tell of a failure. */
async function told(options: Partial<PostgresStoreOptions>): Promise<unknown[]> {
  const heard: unknown[] = [];
  const store = openStore({ timeout: "10s", ...options, hints: true, onError: (error) => heard.push(error) });
  const errors = [
    await failure(store.register("g", newcomer())),
    await failure(store.inspect("g")),
    await failure(store.onHint?.("g", () => {}) as Promise<unknown>),
  ];
  const throttle = createThrottle({ name: "g", max: 10, store });
  throttle.on("storeError", (event) => heard.push(event));
  errors.push(await failure(throttle.start({ timeout: 0 })));
  heard.push(throttle.status(), throttle.status().lastError);
  await throttle.stop();
  for (const error of errors) expect(error.code).toMatch(/^DT_STORE_/);
  return [...errors, ...heard];
}

/** A store that cannot connect tells nothing that is secret, and why it could not. */
async function expectDiscreet(reason: RegExp, options: Partial<PostgresStoreOptions>): Promise<void> {
  const all = await told(options);
  expect(String(all[0])).toMatch(reason);
  for (const shown of all) expectNoSecret(shown, SECRET);
}

describe("no password shows", () => {
  test("when it is wrong, in an address or in a pool", async () => {
    await using guarded = await startPostgres({ password: "right" });
    const connectionString = guarded.url.replace("right", quoted);
    expect(connectionString).toContain(quoted);
    await expectDiscreet(/password authentication failed/, { connectionString });
    await expectDiscreet(/password authentication failed/, { pool: openPool(connectionString) });
  });

  test.each([
    ["nobody is there", () => `postgres://app:${quoted}@127.0.0.1:1/nowhere`, /ECONNREFUSED/],
    ["the database is not there", () => withPassword("/nowhere"), /database "nowhere" does not exist/],
    ["the server has no TLS", () => withPassword("/postgres?sslmode=verify-full"), /does not support SSL/],
    [
      "a certificate is not there",
      () => withPassword("/postgres?sslmode=verify-full&sslrootcert=/nowhere.pem"),
      /nowhere\.pem/,
    ],
    [
      "the address is not encoded as it should be",
      () => `postgres://%ZZ:${quoted}@127.0.0.1:${server.port}/postgres`,
      /role "%ZZ" does not exist/,
    ],
  ])("when %s", async (_, address, reason) => {
    await expectDiscreet(reason, { connectionString: address() });
  });

  test("in the store itself", async () => {
    const store = keep(openStore({ connectionString: withPassword("/postgres") }));
    expectNoSecret({ store }, SECRET);
  });
});

function withPassword(rest: string): string {
  return `postgres://postgres:${quoted}@127.0.0.1:${server.port}${rest}`;
}
