import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { isAlive } from "../src/process-tree.ts";
import { startRedis } from "../src/redis.ts";
import { withRedis } from "../src/redis-client.ts";
import { expectNothingLeft } from "./leftovers.ts";
import { withVariable } from "./with-variable.ts";

const get = (url: string, key: string) => withRedis(url, (client) => client.get(key));
const set = (url: string, key: string, value: string) => withRedis(url, (client) => client.set(key, value));

describe("a local Redis", () => {
  test("starts, answers, and leaves nothing behind when stopped twice", async () => {
    const redis = await startRedis({ control: true });
    const pid = redis.pid as number;
    expect(await set(redis.url, "a", "1")).toBe("OK");
    expect(existsSync(redis.folder)).toBe(true);
    await Promise.all([redis.stop(), redis.stop()]);
    await redis.stop();
    expect(redis.pid).toBeUndefined();
    expectNothingLeft([pid], redis.folder);
    await expect(redis.restart({ keepData: true })).rejects.toThrow("has been stopped for good");
  });

  test("accepts connections and answers nothing while paused, and goes on when resumed", async () => {
    await using redis = await startRedis({ control: true });
    await set(redis.url, "a", "1");
    await redis.pause();
    await expect(get(redis.url, "a")).rejects.toThrow("Command timed out");
    await redis.resume();
    expect(await get(redis.url, "a")).toBe("1");
  });

  test("is gone when killed and comes back on its port with what it had acknowledged", async () => {
    await using redis = await startRedis({ control: true });
    const { pid, port } = redis;
    await set(redis.url, "a", "1");
    await redis.kill();
    expect(isAlive(pid as number)).toBe(false);
    await expect(get(redis.url, "a")).rejects.toThrow();
    await redis.restart({ keepData: true });
    expect([redis.port, await get(redis.url, "a")]).toEqual([port, "1"]);
    expect(redis.pid).not.toBe(pid);
  });

  test("comes back empty when restarted without its data, even out of a pause", async () => {
    await using redis = await startRedis({ control: true });
    await set(redis.url, "a", "1");
    await redis.pause();
    await redis.restart({ keepData: false });
    expect(await get(redis.url, "a")).toBeNull();
  });

  test("keeps its data over a graceful restart without an append-only file", async () => {
    await using redis = await startRedis({ appendOnly: false });
    await set(redis.url, "a", "1");
    await redis.restart({ keepData: true });
    expect(await get(redis.url, "a")).toBe("1");
  });

  test("is ended while paused", async () => {
    const redis = await startRedis({ control: true });
    const pid = redis.pid as number;
    await redis.pause();
    await redis.stop();
    expectNothingLeft([pid], redis.folder);
  });

  test("asks for its password and knows its ACL users", async () => {
    await using redis = await startRedis({ password: 'p"w d', users: ["alice on >secret ~dt:* &* +@all -eval"] });
    expect(await set(redis.url, "a", "1")).toBe("OK");
    await expect(get(`redis://${redis.host}:${redis.port}`, "a")).rejects.toThrow("NOAUTH");
    const alice = `redis://alice:secret@${redis.host}:${redis.port}`;
    expect(await set(alice, "dt:a", "1")).toBe("OK");
    await expect(get(alice, "a")).rejects.toThrow("NOPERM");
  });

  test("speaks TLS with a certificate that clients can trust, and nothing else", async () => {
    await using redis = await startRedis({ tls: true });
    const { host, port, ca } = redis;
    expect(redis.url).toMatch(/^rediss:/);
    expect(await withRedis({ host, port, ca }, (client) => client.ping())).toBe("PONG");
    await expect(withRedis({ host, port }, (client) => client.ping())).rejects.toThrow();
    await expect(withRedis(redis.url, (client) => client.ping())).rejects.toThrow(/self-signed/);
  });

  test("follows a master and refuses writes as its replica", async () => {
    await using master = await startRedis({ control: true });
    await set(master.url, "a", "1");
    await using replica = await startRedis({ replicaOf: master });
    expect(await get(replica.url, "a")).toBe("1");
    await expect(set(replica.url, "a", "2")).rejects.toThrow("READONLY");
  });

  test("lacks the commands that were taken away, and follows further configuration", async () => {
    await using redis = await startRedis({ disabledCommands: ["EVAL"], config: { maxmemory: "7mb" } });
    await withRedis(redis.url, async (client) => {
      await expect(client.eval("return 1", 0)).rejects.toThrow("unknown command");
      expect(await client.config("GET", "maxmemory")).toEqual(["maxmemory", String(7 * 2 ** 20)]);
    });
  });

  test("shows its log when it cannot start", async () => {
    await expect(startRedis({ config: { "no-such-directive": "1" } })).rejects.toThrow(
      /did not start[\s\S]*no-such-directive/,
    );
  });
});

describe("a Redis found through DT_REDIS_URL", () => {
  test("is used for a plain start, is not ours to kill, and stays when stopped", async () => {
    await using own = await startRedis({ control: true });
    await withVariable("DT_REDIS_URL", own.url, async () => {
      const found = await startRedis();
      expect([found.origin, found.canControl, found.url, found.port]).toEqual([
        "environment",
        false,
        own.url,
        own.port,
      ]);
      await expect(found.kill()).rejects.toThrow("startRedis({ control: true })");
      await found.stop();
      expect(await set(found.url, "a", "1")).toBe("OK");
    });
  });

  test("is passed over when control or any other option is asked for", async () => {
    await withVariable("DT_REDIS_URL", "redis://127.0.0.1:1", async () => {
      await using redis = await startRedis({ control: true });
      expect(redis.origin).toBe("local");
    });
  });

  test("is named, without its password, when it does not answer", async () => {
    await withVariable("DT_REDIS_URL", "redis://:secret@127.0.0.1:1", async () => {
      const failure = await startRedis().catch((error: Error) => error.message);
      expect(failure).toContain("DT_REDIS_URL=redis://***@127.0.0.1:1 does not answer PING");
      expect(failure).not.toContain("secret");
    });
  });
});
