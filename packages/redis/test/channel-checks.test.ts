import { systemRuntime } from "@dt/core";
import { type RedisServer, until } from "@dt-tooling/backends";
import type { Redis } from "ioredis";
import { beforeEach, describe, expect, test } from "vitest";
import type { RedisStore } from "../src/index.ts";
import { groupKeys, type Keys } from "../src/keys.ts";
import { listenersOf, secretOf } from "./support/channel.ts";
import { checkingEvery, type Heard, hear, hinted, listen } from "./support/hints.ts";
import { openClient, openStore, ownServer } from "./support/keep.ts";

/** A store that listens asks from time to time what its channels are called. */

const group = groupKeys("dt", "g");
const MINUTE_MS = 60_000;

let server: RedisServer;
let admin: Redis;
beforeEach(async () => {
  server = await ownServer();
  admin = openClient(server.url);
});

const open = (): RedisStore => openStore({ url: server.url });
const openChecking = (url = server.url, onCheck?: () => void): RedisStore =>
  openStore({ url, runtime: { ...systemRuntime, ...checkingEvery(100, onCheck) } });

describe("the secret", () => {
  test.each([
    ["deleted", () => admin.del(group.hints)],
    ["evicted with the group", () => admin.del(group.hints, ...group.keys)],
    ["of another type", () => admin.pipeline().del(group.hints).rpush(group.hints, "x").exec()],
    ["emptied", () => admin.hset(group.hints, "secret", "")],
    ["no name", () => admin.hset(group.hints, "secret", "a b\n")],
  ])("that is %s is brought back by the next check", async (_, damage) => {
    const hints = await listen(openChecking());
    const before = await secretOf(admin, group);
    await damage();
    await until("it is back", 10_000, async () => (await secretOf(admin, group).catch(() => null)) === before);
    await hear(hints, open());
  });

  test("that somebody else made is found by the next check, and the move is a hint", async () => {
    const hints = await listen(openChecking());
    await admin.hset(group.hints, "secret", "other");
    await hinted(hints, 1);
    await hear(hints, open());
    expect(hints.count).toBe(2);
  });

  test("is kept for as long as somebody listens, and a quarter of an hour longer", async () => {
    const store = openChecking();
    const stop = await store.onHint?.("g", () => {});
    await listen(store, "h");
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
});

describe("of many groups", () => {
  const names = Array.from({ length: 60 }, (_, i) => `g${i}`);
  const keys = names.map((name) => groupKeys("dt", name).hints);
  let timers: number;
  let heard: Heard[];
  beforeEach(async () => {
    timers = 0;
    heard = [];
    await admin.call("ACL", "SETUSER", "member", "on", ">secret", "allkeys", "allchannels", "+@all");
    const store = openChecking(`redis://member:secret@${server.host}:${server.port}`, () => {
      timers += 1;
    });
    for (const name of names) heard.push(await listen(store, name));
  });

  /** Deletes all secrets, calls `then`, and counts the checks until all are back. */
  async function checksUntilAllAreBack(then: () => Promise<unknown> = async () => {}): Promise<number> {
    await admin.del(...keys);
    const before = timers;
    await then();
    await until("all are back", 20_000, async () => (await admin.exists(...keys)) === keys.length);
    return timers - before;
  }

  test("one of 30 is asked for with each check", async () => {
    expect(await checksUntilAllAreBack()).toBeGreaterThan(25);
  });

  test("those that could not be asked for when a connection came back are asked for with the next check", async () => {
    await admin.call("ACL", "SETUSER", "member", "-evalsha", "-eval");
    await admin.call("CLIENT", "KILL", "TYPE", "pubsub");
    await until("all are told of the loss", 15_000, () => heard.every(({ count }) => count > 0));
    const restored = () => admin.call("ACL", "SETUSER", "member", "+@all");
    expect(await checksUntilAllAreBack(restored)).toBeLessThan(20);
  });
});
