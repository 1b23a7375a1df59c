import { createThrottle } from "@dt/core";
import { type RedisServer, startRedisCluster } from "@dt-tooling/backends";
import { expectNoSecret } from "@dt-tooling/backends/expect-no-secret";
import { failure } from "@dt-tooling/backends/failure";
import { newcomer } from "@dt-tooling/simulator/requests";
import { describe, expect, test } from "vitest";
import { discreet } from "../src/errors.ts";
import type { RedisStoreOptions } from "../src/index.ts";
import { groupKeys } from "../src/keys.ts";
import { openClient, openStore, ownServer } from "./support/keep.ts";
import { readmeUser } from "./support/readme-user.ts";

/**
 * Errors of ioredis carry the command that failed, with all of its arguments: a password, or a whole script. None of it
 * may reach a user's logs.
 */

const SECRET = "pässwörd & more";
const quoted = encodeURIComponent(SECRET);
/** Where arguments are kept in errors, and how every script begins. */
const NEVER = [SECRET, "args", "redis.call"];

/** Where a server's own word is waited for: a busy machine may need most of the default to hear it. */
const PATIENT = { timeout: 1_000 } as const;

/** Everything that a store and a throttle on it tell of a failure. */
async function told(options: RedisStoreOptions): Promise<unknown[]> {
  const heard: unknown[] = [];
  const store = openStore({ timeout: 300, ...options, onError: (error) => heard.push(error) });
  const errors = [
    await failure(store.register("g", newcomer())),
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

/** A store that is refused by such a server tells nothing that is secret, and why it was refused. */
async function expectDiscreet(reason: RegExp, options: RedisStoreOptions): Promise<void> {
  const all = await told(options);
  expect(String(all[0])).toMatch(reason);
  for (const shown of all) expectNoSecret(shown, ...NEVER);
}

const at = ({ host, port }: RedisServer) => ({ host, port });

describe("no password shows with", () => {
  test.each([2, 3] as const)("a wrong one in the url, over RESP%i", async (protocol) => {
    const server = await ownServer({ password: "right" });
    const url = `redis://:${quoted}@${server.host}:${server.port}`;
    await expectDiscreet(/WRONGPASS/, { url, options: { protocol } });
  });

  test("a wrong one in the options", async () => {
    const server = await ownServer({ password: "right" });
    await expectDiscreet(/WRONGPASS/, { ...PATIENT, options: { ...at(server), password: SECRET } });
  });

  test("a wrong one of an ACL user", async () => {
    const server = await ownServer({ users: ["default off", readmeUser("dt", "throttle", "right")] });
    await expectDiscreet(/WRONGPASS/, {
      ...PATIENT,
      options: { ...at(server), username: "throttle", password: SECRET },
    });
    await expectDiscreet(/WRONGPASS/, { ...PATIENT, url: `redis://throttle:${quoted}@${server.host}:${server.port}` });
  });

  test("a wrong one for a Cluster", async () => {
    await using cluster = await startRedisCluster();
    for (const { url } of cluster.nodes) {
      const admin = openClient(url);
      await admin.config("SET", "requirepass", "right");
    }
    const nodes = cluster.nodes.map(at);
    await expectDiscreet(/no connection/, { cluster: { nodes, options: { redisOptions: { password: SECRET } } } });
  });

  test("a client handed in, whose errors are ioredis's own", async () => {
    const server = await ownServer({ password: "right" });
    const url = `redis://:${quoted}@${server.host}:${server.port}`;
    const client = openClient(url);
    await expectDiscreet(/no connection/, { client });
  });

  test.each([
    ["HELLO", 3, /WRONGPASS/],
    ["AUTH", 2, /unknown command 'AUTH'/i],
  ] as const)("a server that does not know %s and repeats its arguments", async (command, protocol, reason) => {
    const server = await ownServer({ users: ["default on nopass ~* &* +@all"], disabledCommands: [command] });
    const options = { ...at(server), protocol, username: "throttle", password: SECRET };
    await expectDiscreet(reason, { ...PATIENT, options });
  });
});

test("a message that is empty is made up for by the code, and causes are kept without what they carry", () => {
  const underneath = Object.assign(new Error("read"), { args: [SECRET] });
  const error = Object.assign(new AggregateError([new Error(SECRET)], ""), { code: "ECONNREFUSED", cause: underneath });
  const clean = discreet(error);
  expect(clean).toMatchObject({ name: "AggregateError", message: "ECONNREFUSED", code: "ECONNREFUSED" });
  expect((clean.cause as Error).message).toBe("read");
  expectNoSecret(clean, ...NEVER);
});

describe("neither a password nor a script shows with", () => {
  test("TLS that the server does not speak", async () => {
    const server = await ownServer({ password: SECRET });
    await expectDiscreet(/no connection/, { url: `rediss://:${quoted}@${server.host}:${server.port}` });
  });

  test("a server that asks for TLS", async () => {
    const server = await ownServer({ tls: true, password: SECRET });
    await expectDiscreet(/no connection/, { url: `redis://:${quoted}@${server.host}:${server.port}` });
  });

  test("a certificate that is not trusted", async () => {
    const server = await ownServer({ tls: true, password: SECRET });
    await expectDiscreet(/self-signed/, { ...PATIENT, url: server.url });
  });

  test("nobody there", async () => {
    await expectDiscreet(/ECONNREFUSED/, { url: `redis://:${quoted}@127.0.0.1:1` });
  });

  test("a script that fails half-way", async () => {
    const server = await ownServer({ password: SECRET });
    await openClient(server.url).set(groupKeys("dt", "g").keys[0] as string, "of another application");
    const store = openStore({ url: server.url });
    const errors = [
      await failure(store.register("g", newcomer())),
      await failure(store.inspect("g")),
      await failure(store.deregister("g", newcomer(), { seq: 1, level: null })),
    ];
    for (const error of errors) {
      expect(error.message).toContain("WRONGTYPE");
      expectNoSecret(error, ...NEVER);
    }
  });

  test.each(["EVALSHA", "EVAL"])("a server without %s, whose answer repeats the script", async (command) => {
    const server = await ownServer({ password: SECRET, disabledCommands: [command] });
    const error = await failure(openStore({ url: server.url }).register("g", newcomer()));
    expect(error.code).toBe("DT_STORE_UNSUITABLE");
    expectNoSecret(error, ...NEVER);
  });
});
