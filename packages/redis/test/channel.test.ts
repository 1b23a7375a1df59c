import { systemRuntime } from "@dt/core";
import { type RedisServer, until } from "@dt-tooling/backends";
import { accepted, adopting, newcomer, permitRequest } from "@dt-tooling/simulator/requests";
import { Redis } from "ioredis";
import { beforeEach, describe, expect, test } from "vitest";
import type { RedisClient, RedisStore } from "../src/index.ts";
import { groupKeys, type Keys, permitKeys } from "../src/keys.ts";
import { channelOf } from "../src/listen.ts";
import { listenersOf, secretOf } from "./support/channel.ts";
import { checkingEvery, type Heard, hear, hinted, listen } from "./support/hints.ts";
import { afterwards, openClient, openStore, ownServer } from "./support/keep.ts";

/** Whoever may publish on any channel gives hints to nobody: these are for those who can read what the members can. */

const group = groupKeys("dt", "g");

let server: RedisServer;
let admin: Redis;
beforeEach(async () => {
  server = await ownServer();
  admin = openClient(server.url);
});

/** No deadline is tested here; on a busy machine a second may not be enough to connect. */
const patient = { timeout: "30s" } as const;
const open = (): RedisStore => openStore({ url: server.url, ...patient });
const never = { ...systemRuntime, ...checkingEvery(600_000) };
const openUnchecking = (): RedisStore => openStore({ url: server.url, runtime: never, ...patient });

/** Everything that follows from the names of the prefix, the group and the keys. */
function guesses({ keys, hints, channel }: Keys): string[] {
  const names = ["g", "dt", "dt:g", "dt:{g}", channel, hints, ...keys];
  return names.flatMap((name) => [name, `${name}:`, `${name}:changed`, `${name}:null`, `${name}:undefined`]);
}

describe("somebody who may publish on every channel, and not read the keys", () => {
  const stranger = (): Redis => {
    const client = new Redis(server.url, { username: "stranger", password: "x", enableReadyCheck: false });
    afterwards(() => client.disconnect());
    return client;
  };
  beforeEach(async () => {
    await admin.call("ACL", "SETUSER", "stranger", "on", ">x", "allchannels", "+publish", "+subscribe", "+hget");
  });

  test("moves no member of a group, whatever is guessed", async () => {
    const hints = await listen(open());
    const client = stranger();
    for (const guess of guesses(group)) expect(await client.publish(guess, "")).toBe(0);
    await expect(client.hget(group.hints, "secret")).rejects.toThrow(/NOPERM/);
    // What is heard comes after what must not be heard.
    await open().register("g", newcomer());
    await hinted(hints, 1);
    expect(hints.count).toBe(1);
  });

  test("wakes nobody who waits for permits", async () => {
    const [store, where] = [open(), permitKeys("dt", "g")];
    let woken = 0;
    await store.onPermitHint?.("g", () => {
      woken += 1;
    });
    const client = stranger();
    for (const guess of guesses(where)) expect(await client.publish(guess, "")).toBe(0);
    await expect(client.hget(where.hints, "secret")).rejects.toThrow(/NOPERM/);
    const request = permitRequest({ everyMs: 1_000, maxReserved: 10 });
    await store.reserve("g", request);
    await store.release("g", { id: request.id, keep: 0 });
    await until("a hint came", 15_000, () => woken > 0);
    expect(woken).toBe(1);
  });

  test("does not know the channel of one group or key by that of another", async () => {
    const store = open();
    await listen(store);
    await listen(store, "h");
    await store.onPermitHint?.("g", () => {});
    const all = [group, groupKeys("dt", "h"), permitKeys("dt", "g")];
    const secrets = await Promise.all(all.map((where) => secretOf(admin, where)));
    expect(new Set(secrets).size).toBe(3);
    for (const secret of secrets) expect(secret).toMatch(/^[0-9a-f]{32}$/);
  });
});

describe("the secret", () => {
  test("of a group that was there before anybody listened is made by who listens first", async () => {
    const store = open();
    await store.register("g", newcomer());
    expect(await secretOf(admin, group)).toBeNull();
    const [one, other] = await Promise.all([listen(store), listen(open())]);
    await store.register("g", newcomer());
    await hinted(one as Heard, 1);
    await hinted(other as Heard, 1);
    expect(await listenersOf(admin, group)).toBe(2);
  });

  test("is the same for everybody after all data was flushed: the first member that comes back brings it back", async () => {
    const [one, other] = [openUnchecking(), openUnchecking()];
    const [a, b] = [newcomer(), newcomer()];
    await one.register("g", a);
    const view = await other.register("g", b);
    const hints = [await listen(one), await listen(other)] as const;
    const before = await secretOf(admin, group);
    await admin.flushall();
    for (const [store, member] of [
      [one, a],
      [other, b],
    ] as const) {
      expect(await store.sync("g", member, adopting(view, 2))).toMatchObject({ status: "unknown" });
      await store.register("g", { ...member, seq: 3, rejoin: true });
    }
    expect(await secretOf(admin, group)).toBe(before);
    for (const heard of hints) await hear(heard, open());
  });

  test("is another one where somebody was faster after a flush: members move to it when they come back", async () => {
    const [store, faster] = [openUnchecking(), open()];
    const member = newcomer();
    const view = await store.register("g", member);
    const hints = await listen(store);
    const before = await secretOf(admin, group);
    await admin.flushall();
    await listen(faster);
    expect(await secretOf(admin, group)).not.toBe(before);
    await store.sync("g", member, adopting(view, 2));
    // What was said on the new channel before was not heard.
    await hinted(hints, 1);
    await hear(hints, faster);
    await until("nobody listens to the old one", 5_000, async () => {
      const [, listeners] = (await admin.pubsub("NUMSUB", channelOf(group, before as string))) as [string, number];
      return listeners === 0;
    });
  });

  test("outlives a repair with reset", async () => {
    const store = open();
    await store.register("g", newcomer());
    const hints = await listen(store);
    await open().repair("g", { reset: true });
    await hinted(hints, 1);
    await hear(hints, open());
  });

  test("is asked for once when many begin to listen to a group at once", async () => {
    const store = open();
    await listen(store, "h");
    await admin.config("RESETSTAT");
    const all = await Promise.all(Array.from({ length: 100 }, () => listen(store)));
    expect(await admin.info("commandstats")).toMatch(/cmdstat_evalsha:calls=1,/);
    await open().register("g", newcomer());
    await until("all are told", 15_000, () => all.every(({ count }) => count === 1));
  });

  test("does not make a server that was empty look as if it had had other groups", async () => {
    await listen(open());
    expect(await admin.zscore("dt:data", "begun")).toBe("-1");
    expect(await admin.pttl("dt:data")).toBeGreaterThan(0);
    await open().register("g", newcomer());
    expect(await admin.zscore("dt:data", "begun")).toBe("-1");
  });

  test("is below the keyPrefix of a client, as all keys are", async () => {
    const clients = ["one:", "other:"].map((keyPrefix) => {
      const client = new Redis(server.url, { autoResendUnfulfilledCommands: false, keyPrefix });
      afterwards(() => client.disconnect());
      return openStore({ client });
    });
    const [one, other] = clients as [RedisStore, RedisStore];
    const [hints, others] = [await listen(one), await listen(other)];
    await hear(hints, one);
    expect(others.count).toBe(0);
    expect(await admin.exists(`one:${group.hints}`, `other:${group.hints}`, group.hints)).toBe(2);
  });
});

test("a client of another kind moves as well", async () => {
  const [commands, subscriber] = [openClient(server.url), openClient(server.url)];
  const listeners = new Map<string, () => void>();
  subscriber.on("message", (channel: string) => listeners.get(channel)?.());
  const client: RedisClient = {
    call: (command, ...args) => commands.call(command, ...args),
    listen: async (channel, onMessage) => {
      listeners.set(channel, onMessage);
      await subscriber.subscribe(channel);
      return () => void subscriber.unsubscribe(channel).catch(() => {});
    },
  };
  const store = openStore({ client, runtime: never });
  const member = newcomer();
  const view = accepted(await store.register("g", member));
  const hints = await listen(store);
  await hear(hints, open());
  await admin.flushall();
  await listen(open());
  await store.sync("g", member, adopting(view, 2));
  await until("it moved", 10_000, async () => (await listenersOf(admin, group)) === 2);
  await hear(hints, open());
});
