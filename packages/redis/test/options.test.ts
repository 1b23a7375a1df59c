import { isDtError } from "@dt/core";
import { Cluster, type ClusterOptions, Redis, type RedisOptions } from "ioredis";
import { afterEach, describe, expect, test } from "vitest";
import { RedisStore, type RedisStoreOptions, redisStore } from "../src/index.ts";

const clients: { disconnect(): void }[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.disconnect();
});

/** Never connected: options are checked before anything is opened. */
function redis(options: RedisOptions = {}): Redis {
  const client = new Redis({ lazyConnect: true, ...options, replyMapping: "legacy" });
  clients.push(client);
  return client;
}

function cluster(options: ClusterOptions = {}): Cluster {
  const redisOptions = { ...options.redisOptions, replyMapping: "legacy" as const };
  const client = new Cluster([{ host: "127.0.0.1", port: 1 }], { lazyConnect: true, ...options, redisOptions });
  clients.push(client);
  return client;
}

function refusal(options: unknown): { code: string; message: string } {
  try {
    new RedisStore(options as RedisStoreOptions);
  } catch (error) {
    if (isDtError(error)) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error("accepted, but should have been refused");
}

describe("options that cannot be right name themselves, their value and the remedy", () => {
  test.each([
    [undefined, "options is undefined; give an object such as"],
    [{}, "the way to Redis is undefined; give either client, or cluster, or url and / or options"],
    [{ url: "redis://h", runtime: {} }, "runtime is an object; give an object with now, setTimer and random"],
    [{ url: "redis://h", client: {} }, 'the way to Redis is "client, url / options"'],
    [{ url: "localhost:6379" }, "give redis://[user[:password]@]host[:port][/database], or rediss:// for TLS"],
    [{ url: "http://localhost" }, "url is not a Redis URL"],
    [{ url: "redis://a b" }, "url is not a Redis URL"],
    [{ url: "redis://user:50%ZZ@h" }, "url has a % that is not an escape; write a percent sign as %25"],
    [{ url: 6379 }, "url is 6379; give redis://"],
    [{ url: { host: "localhost" } }, "url is an object; give redis://"],
    [{ options: "localhost" }, 'options is "localhost"; give options of ioredis'],
    [{ client: null }, "client is null; give an ioredis Redis or Cluster, or an object with call(command, ...args)"],
    [{ client: { sendCommand: () => {} } }, "for node-redis: { call: (...command) => client.sendCommand(command) }"],
    [{ cluster: { nodes: [] } }, "cluster.nodes is an array; give at least one node"],
    [{ url: "redis://h", prefix: "" }, "prefix is"],
    [{ url: "redis://h", prefix: "a{b}" }, 'prefix is "a{b}"; leave out the braces'],
    [{ url: "redis://h", timeout: 0 }, "timeout is 0; give at least 1 ms"],
    [{ url: "redis://h", timeout: "13d" }, 'timeout is "13d"; give at most 10 days'],
    [{ url: "redis://h", timeout: "soon" }, 'timeout is "soon"; give milliseconds'],
    [{ url: "redis://h", timeout: Number.NaN }, "timeout is NaN"],
    [{ url: "redis://h", onError: "log" }, 'onError is "log"; give a function'],
    [{ url: "redis://h", prefx: "a" }, "prefx: there is no such option; did you mean prefix? known are client, url"],
    [{ URL: "redis://h" }, "did you mean url?"],
    [
      { url: "redis://h", tls: {} },
      "tls is an option of ioredis; put it into options: { tls }, or use rediss:// in the",
    ],
    [{ host: "h", port: 1 }, "host is an option of ioredis; put it into options: { host }"],
    [{ url: "redis://h", password: "a" }, "put it into options: { password }"],
    [{ nodes: [{ port: 1 }] }, "nodes: there is no such option"],
    [{ cluster: "" }, 'cluster is ""; give an object; its keys are nodes, options'],
    [{ cluster: null }, "cluster is null; give an object"],
    [{ cluster: { nodes: [{ port: 1 }], redisOptions: {} } }, "cluster.redisOptions: there is no such option"],
    [{ cluster: { node: [{ port: 1 }] } }, "did you mean cluster.nodes?"],
    [{ cluster: { nodes: [{ port: 1 }], options: "tls" } }, "give options of ioredis's Cluster"],
    [{ url: "", prefix: "a" }, "url is not a Redis URL"],
  ])("%j", (options, text) => {
    const { code, message } = refusal(options);
    expect(code).toBe("DT_INVALID_OPTION");
    expect(message).toContain(text);
  });

  test("the value of a misplaced option is not shown, since it may be a password", () => {
    for (const options of [{ password: "secret" }, { pasword: "secret" }])
      expect(refusal({ url: "redis://h", ...options }).message).not.toContain("secret");
  });

  test("a url is not shown, since it may hold a password", () => {
    expect(refusal({ url: "http://:secret@host" }).message).not.toContain("secret");
  });
});

describe("a client handed in that sends commands again is refused", () => {
  test.each([
    ["a Redis with default options", () => redis(), "autoResendUnfulfilledCommands is true"],
    ["a Cluster with default options", () => cluster(), "retryDelayOnFailover is 100"],
    [
      "a Cluster that opens its nodes' connections again, and resends on them",
      () => cluster({ retryDelayOnFailover: 0, clusterNodeRetryStrategy: () => 100 }),
      "redisOptions.autoResendUnfulfilledCommands is not set",
    ],
  ])("%s", (_, create, text) => {
    const { code, message } = refusal({ client: create() });
    expect(code).toBe("DT_UNSAFE_CLIENT");
    expect(message).toContain(`the client's option ${text}`);
    expect(message).toMatch(/create the client with \S+: (false|0), or give this store/);
  });

  test("also when it is only options for a client of the store's own", () => {
    expect(refusal({ options: { autoResendUnfulfilledCommands: true } }).code).toBe("DT_UNSAFE_CLIENT");
    const nodes = [{ host: "127.0.0.1", port: 1 }];
    expect(refusal({ cluster: { nodes, options: { retryDelayOnFailover: 5 } } }).code).toBe("DT_UNSAFE_CLIENT");
  });

  test("and one that does not is taken", async () => {
    for (const client of [
      redis({ autoResendUnfulfilledCommands: false }),
      cluster({ retryDelayOnFailover: 0 }),
      cluster({
        retryDelayOnFailover: 0,
        clusterNodeRetryStrategy: () => 100,
        redisOptions: { autoResendUnfulfilledCommands: false },
      }),
    ]) {
      await redisStore({ client }).close();
    }
  });
});

describe("what a store says of itself", () => {
  test("it keeps a ledger on the server's clock, may lose its data, and sends hints", () => {
    const store = redisStore({ url: "redis://127.0.0.1:1" });
    const everywhere = {
      demand: true,
      slots: true,
      name: "redis",
      clock: "server",
      ledger: true,
      losesData: true,
      hints: true,
    };
    expect(store.capabilities).toEqual({ ...everywhere, dataAge: true });
    const inCluster = redisStore({ cluster: { nodes: [{ host: "127.0.0.1", port: 1 }] } });
    expect(inCluster.capabilities).toEqual({ ...everywhere, dataAge: false });
    expect(store.onHint).toBeTypeOf("function");
  });

  test("a client that can only call sends no hints", () => {
    const store = redisStore({ client: { call: async () => "" } });
    expect(store.capabilities.hints).toBe(false);
    expect("onHint" in store && store.onHint !== undefined).toBe(false);
  });
});
