import { systemRuntime } from "@dt/core";
import { type RedisServer, until } from "@dt-tooling/backends";
import { Redis } from "ioredis";
import { beforeEach, describe, expect, test } from "vitest";
import { channelOf } from "../src/hints/topic.ts";
import type { RedisClient, RedisStore } from "../src/index.ts";
import { groupKeys, type Keys, permitKeys } from "../src/keys.ts";
import { listenersOf, secretOf } from "./support/channel.ts";
import { afterwards, openClient, openStore, ownServer } from "./support/keep.ts";
import { accepted, adopting, newcomer } from "./support/member.ts";
import { permitRequest } from "./support/permit-request.ts";

/** Whoever may publish on any channel gives hints to nobody: these are for those who can read what the members can. */

const group = groupKeys("dt", "g");
const MINUTE_MS = 60_000;

let server: RedisServer;
let admin: Redis;
beforeEach(async () => {
  server = await ownServer();
  admin = openClient(server.url);
});

type SetTimer = typeof systemRuntime.setTimer;
/** Channels are checked every 10 s; here as often as it is said. */
const checkingEvery =
  (everyMs: number): SetTimer =>
  (callback, delayMs, settings) =>
    systemRuntime.setTimer(callback, delayMs === 10_000 ? everyMs : delayMs, settings);
const often = checkingEvery(100);
const never = { ...systemRuntime, setTimer: checkingEvery(600_000) };
const open = (): RedisStore => openStore({ url: server.url });
const openChecking = (): RedisStore => openStore({ url: server.url, runtime: { ...systemRuntime, setTimer: often } });
const openUnchecking = (): RedisStore => openStore({ url: server.url, runtime: never });

interface Heard {
  count: number;
}

async function watch(store: RedisStore, name = "g"): Promise<Heard> {
  const hints = { count: 0 };
  await store.watch?.(name, () => {
    hints.count += 1;
  });
  return hints;
}

const hinted = (hints: Heard, more: number): Promise<unknown> =>
  until("a hint came", 15_000, () => hints.count >= more);

/** A hint given now is heard. */
async function hear(hints: Heard, giver: RedisStore): Promise<void> {
  const before = hints.count;
  await giver.register("g", newcomer());
  await hinted(hints, before + 1);
}

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
    const hints = await watch(open());
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
    await store.watchPermits?.("g", () => {
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
    await watch(store);
    await watch(store, "h");
    await store.watchPermits?.("g", () => {});
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
    const [one, other] = await Promise.all([watch(store), watch(open())]);
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
    const hints = [await watch(one), await watch(other)] as const;
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
    const hints = await watch(store);
    const before = await secretOf(admin, group);
    await admin.flushall();
    await watch(faster);
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
    const hints = await watch(store);
    await open().repair("g", { reset: true });
    await hinted(hints, 1);
    await hear(hints, open());
  });

  test.each([
    ["deleted", () => admin.del(group.hints)],
    ["evicted with the group", () => admin.del(group.hints, ...group.keys)],
    ["of another type", () => admin.pipeline().del(group.hints).rpush(group.hints, "x").exec()],
    ["emptied", () => admin.hset(group.hints, "secret", "")],
    ["no name", () => admin.hset(group.hints, "secret", "a b\n")],
  ])("that is %s is brought back by the next check", async (_, damage) => {
    const hints = await watch(openChecking());
    const before = await secretOf(admin, group);
    await damage();
    await until("it is back", 10_000, async () => (await secretOf(admin, group).catch(() => null)) === before);
    await hear(hints, open());
  });

  test("that somebody else made is found by the next check, and the move is a hint", async () => {
    const hints = await watch(openChecking());
    await admin.hset(group.hints, "secret", "other");
    await hinted(hints, 1);
    await hear(hints, open());
    expect(hints.count).toBe(2);
  });

  test("is kept for as long as somebody listens, and a quarter of an hour longer", async () => {
    const store = openChecking();
    const stop = await store.watch?.("g", () => {});
    await watch(store, "h");
    const left = ({ hints }: Keys): Promise<number> => admin.pttl(hints);
    expect(await left(group)).toBeGreaterThan(14 * MINUTE_MS);
    expect(await left(group)).toBeLessThanOrEqual(15 * MINUTE_MS);
    const shorten = async (): Promise<void> => {
      for (const where of [group, groupKeys("dt", "h")]) await admin.pexpire(where.hints, MINUTE_MS);
    };
    await shorten();
    await until("it is kept longer", 10_000, async () => (await left(group)) > 14 * MINUTE_MS);
    stop?.();
    await until("nobody listens", 10_000, async () => (await listenersOf(admin, group)) === 0);
    await shorten();
    await until(
      "the other one is kept longer",
      10_000,
      async () => (await left(groupKeys("dt", "h"))) > 14 * MINUTE_MS,
    );
    expect(await left(group)).toBeLessThanOrEqual(MINUTE_MS);
  });

  test("of many groups does not cost many calls: one of 30 is asked for with each check", async () => {
    const checks = { count: 0 };
    const counting: SetTimer = (callback, delayMs, settings) =>
      often(
        () => {
          if (delayMs === 10_000) checks.count += 1;
          callback();
        },
        delayMs,
        settings,
      );
    const store = openStore({ url: server.url, runtime: { ...systemRuntime, setTimer: counting } });
    const names = Array.from({ length: 60 }, (_, i) => `g${i}`);
    for (const name of names) await watch(store, name);
    for (const name of names) await admin.del(groupKeys("dt", name).hints);
    const before = checks.count;
    await until("all are back", 20_000, async () => (await admin.exists(...names.map(hintsOf))) === names.length);
    // Half of the timers ask whether the connection lives; two groups of 60 have their turn with each of the others.
    expect((checks.count - before) / 2).toBeGreaterThan(25);
  }, 30_000);

  test("is asked for once when many begin to listen to a group at once", async () => {
    const store = open();
    await watch(store, "h");
    await admin.config("RESETSTAT");
    const all = await Promise.all(Array.from({ length: 100 }, () => watch(store)));
    expect(await admin.info("commandstats")).toMatch(/cmdstat_evalsha:calls=1,/);
    await open().register("g", newcomer());
    await until("all are told", 15_000, () => all.every(({ count }) => count === 1));
  });

  test("does not make a server that was empty look as if it had had other groups", async () => {
    await watch(open());
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
    const [hints, others] = [await watch(one), await watch(other)];
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
      return () => void subscriber.unsubscribe(channel);
    },
  };
  const store = openStore({ client, runtime: never });
  const member = newcomer();
  const view = accepted(await store.register("g", member));
  const hints = await watch(store);
  await hear(hints, open());
  await admin.flushall();
  await watch(open());
  await store.sync("g", member, adopting(view, 2));
  await until("it moved", 10_000, async () => (await listenersOf(admin, group)) === 2);
  await hear(hints, open());
});

const hintsOf = (name: string): string => groupKeys("dt", name).hints;
