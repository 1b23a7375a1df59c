import { failure } from "@dt-tooling/backends/failure";
import { describe, expect, it } from "vitest";
import { secretsFromEnvironment, secretVariable } from "../src/index.ts";
import type { SpecProblem } from "../src/spec/problem.ts";
import type { StoreSpec } from "../src/spec/rate-limit.ts";
import { fromPackages } from "../src/store/open-store.ts";
import { planStore } from "../src/store/plan.ts";
import { redisOptions } from "../src/store/redis-options.ts";
import type { SecretResolver } from "../src/store/secrets.ts";

const SECRETS: Readonly<Record<string, string>> = {
  "redis/user": "alice",
  "redis/pass": "hunter2",
  "sentinel/user": "bob",
  "sentinel/pass": "swordfish",
  "tls/ca": "CA",
  "tls/crt": "CERT",
  "tls/key": "KEY",
};
const secrets: SecretResolver = ({ name, key }) => SECRETS[`${name}/${key}`];
const ref = (name: string, key: string, more: object = {}) => ({ name, key, ...more });

async function optionsOf(store: StoreSpec, resolver: SecretResolver = secrets): Promise<unknown> {
  const problems: SpecProblem[] = [];
  const plan = planStore(store, "store", problems);
  expect(problems).toEqual([]);
  if (plan.type === "memory") throw new Error("no Redis");
  return redisOptions(plan, resolver);
}

const sentinel = (fields: object = {}, db?: number): StoreSpec => ({
  redisStore: {
    mode: "sentinel",
    ...(db === undefined ? {} : { db }),
    sentinel: { masterName: "m", endpoints: ["s-0.svc:26379", "redis://s-1:5", "[::1]:7", "s-2"], ...fields },
  },
});

describe("the options of redisStore", () => {
  it.each([
    [{ url: "redis://r" }, "redis://r"],
    [{ url: "redis://r:1/3" }, "redis://r:1/3"],
    [{ url: "redis://r:1/3", db: 0 }, "redis://r:1/0"],
    [{ url: "rediss://u:p%40@r:1?family=6", db: 5 }, "rediss://u:p%40@r:1/5?family=6"],
  ])("of a single Redis: %j", async (fields, url) => {
    expect(await optionsOf({ redisStore: { mode: "single", ...fields } })).toEqual({ url });
  });

  it("of Sentinels", async () => {
    expect(await optionsOf(sentinel())).toEqual({
      options: {
        sentinels: [
          { host: "s-0.svc", port: 26_379 },
          { host: "s-1", port: 5 },
          { host: "::1", port: 7 },
          { host: "s-2", port: 26_379 },
        ],
        name: "m",
      },
    });
    expect(await optionsOf(sentinel({}, 4))).toMatchObject({ options: { db: 4 } });
  });

  it("of Sentinels with users, passwords and certificates, each from its secret", async () => {
    const spec = sentinel({
      redisAuth: { username: ref("redis", "user"), password: ref("redis", "pass") },
      sentinelAuth: { username: ref("sentinel", "user"), password: ref("sentinel", "pass") },
      redisTLS: { caCertSecret: ref("tls", "ca"), certSecret: ref("tls", "crt"), keySecret: ref("tls", "key") },
      sentinelTLS: {
        insecureSkipVerify: true,
        clientCertSecret: ref("tls", "crt"),
        clientKeySecret: ref("tls", "key"),
      },
    });
    expect(await optionsOf(spec)).toMatchObject({
      options: {
        username: "alice",
        password: "hunter2",
        sentinelUsername: "bob",
        sentinelPassword: "swordfish",
        tls: { ca: "CA", cert: "CERT", key: "KEY" },
        enableTLSForSentinelMode: true,
        sentinelTLS: { rejectUnauthorized: false, cert: "CERT", key: "KEY" },
      },
    });
  });

  it("turn TLS on where its block is empty", async () => {
    expect(await optionsOf(sentinel({ redisTLS: {}, sentinelTLS: { insecureSkipVerify: false } }))).toMatchObject({
      options: { tls: {}, enableTLSForSentinelMode: true, sentinelTLS: {} },
    });
  });

  it("leave out a secret that is optional and missing", async () => {
    const spec = sentinel({ redisAuth: { password: ref("none", "pass", { optional: true }) } });
    expect(await optionsOf(spec)).not.toHaveProperty("options.password");
  });
});

describe("a secret that is missing", () => {
  const spec = sentinel({ redisAuth: { password: ref("redis-auth", "pass.word") } });
  const WHICH = 'store.redisStore.sentinel.redisAuth.password: the key "pass.word" of the secret "redis-auth"';

  it.each<[unknown, string]>([
    [undefined, "is not there; set the variable REDIS_AUTH__PASS_WORD, or answer it from the callback secrets"],
    ["", "is empty; set the variable REDIS_AUTH__PASS_WORD"],
    [Buffer.from("hunter2"), "is not text; set"],
    [null, "is not text; set"],
  ])("%j is refused by name", async (value, reason) => {
    const error = await failure(optionsOf(spec, () => value as string));
    expect(error).toMatchObject({ code: "DT_INVALID_OPTION" });
    expect(error.message).toContain(`${WHICH} ${reason}`);
    expect(error.message).not.toContain("hunter2");
  });

  it("is refused with its cause where the callback failed", async () => {
    const cause = new Error("no such file");
    const error = await failure(optionsOf(spec, () => Promise.reject(cause)));
    expect(error).toMatchObject({ code: "DT_INVALID_OPTION", cause });
    expect(error.message).toBe(`${WHICH} could not be read: the callback secrets failed`);
  });
});

describe("secrets from the environment", () => {
  it("have a variable each, in which the parts stay apart", () => {
    expect(secretVariable(ref("redis-auth", "password"))).toBe("REDIS_AUTH__PASSWORD");
    expect(secretVariable(ref("my.tls", "tls.crt"))).toBe("MY_TLS__TLS_CRT");
    expect(secretVariable(ref("a-b", "c"))).not.toBe(secretVariable(ref("a", "b-c")));
  });

  it("are read when they are needed", async () => {
    const env: { REDIS__PASS?: string } = {};
    const resolver = secretsFromEnvironment(env);
    const spec = sentinel({ redisAuth: { password: ref("redis", "pass") } });
    expect((await failure(optionsOf(spec, resolver))).message).toContain("REDIS__PASS");
    env.REDIS__PASS = "hunter2";
    expect(await optionsOf(spec, resolver)).toMatchObject({ options: { password: "hunter2" } });
  });
});

describe("a package that is not installed", () => {
  const absent = "no-such-package-of-dt";

  it("is named with the command that installs it", async () => {
    const error = await failure(fromPackages(["@dt/redis", "ioredis"], () => import(/* @vite-ignore */ absent)));
    expect(error).toMatchObject({
      code: "DT_INVALID_OPTION",
      message: "the spec has a redisStore, which needs @dt/redis and ioredis; run: npm install @dt/redis ioredis",
    });
  });

  it("is loaded where it is there, and other errors stay as they are", async () => {
    expect(await fromPackages([], async () => 1)).toBe(1);
    const broken = new Error("broken");
    await expect(fromPackages([], () => Promise.reject(broken))).rejects.toBe(broken);
  });
});
