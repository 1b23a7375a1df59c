import { createHash } from "node:crypto";
import { systemRuntime } from "@dt/core";
import { FaultProxy, type RedisServer, until } from "@dt-tooling/backends";
import { newcomer } from "@dt-tooling/simulator/requests";
import { Redis } from "ioredis";
import { beforeEach, describe, expect, test } from "vitest";
import { type RedisClient, type RedisStore, redisStore } from "../src/index.ts";
import { groupKeys } from "../src/keys.ts";
import { channelOf } from "../src/listen.ts";
import { secretOf } from "./support/channel.ts";
import { checkingEvery } from "./support/hints.ts";
import { afterwards, openClient, openStore, ownServer } from "./support/keep.ts";
import { SlotMember } from "./support/slot-member.ts";

/** Hints for single members of a semaphore, between two clients of a real server. */

const group = groupKeys("dt", "g");

let server: RedisServer;
let admin: Redis;
beforeEach(async () => {
  server = await ownServer();
  admin = openClient(server.url);
});

/** No deadline is tested here; on a busy machine a second may not be enough. */
const patient = { timeout: "30s" } as const;
const open = (): RedisStore => openStore({ url: server.url, ...patient });

const sha1 = (text: string): string => createHash("sha1").update(text).digest("hex");

/** The channels that connections of the server listen to. */
const channels = async (): Promise<string[]> => (await admin.pubsub("CHANNELS")) as string[];

const channelFor = async ({ registration }: SlotMember): Promise<string> =>
  channelOf(group, (await secretOf(admin, group)) as string, registration.incarnation);

/** The slot of one goes to the other, and the hint of it comes. */
async function handOver(from: SlotMember, to: SlotMember): Promise<void> {
  await to.report(0, 0);
  expect(await from.report(0, 1)).toMatchObject({ held: 1 });
  await to.report(0, 1);
  to.hints.length = 0;
  await from.report(0, 0);
  expect(await to.hinted()).toMatchObject({ kind: "offer", held: 1, seq: to.seq });
  await to.report(0, 0);
  to.hints.length = 0;
  from.hints.length = 0;
}

const single = { max: 1 };

describe.each([2, 3] as const)("hints of slots over RESP%i", (protocol) => {
  const options = () => ({ url: server.url, options: { protocol }, ...patient });

  test("come to their member and to no other one", async () => {
    const [one, other, third] = [openStore(options()), openStore(options()), openStore(options())];
    const [a, b, c] = [
      await SlotMember.join(one, single),
      await SlotMember.join(other, single),
      await SlotMember.join(third, single),
    ];
    await handOver(a, b);
    await handOver(b, a);
    expect(c.hints).toEqual([]);
  });

  test("go on after the subscription's connection was killed, and the loss itself is a hint without a text", async () => {
    const [a, b] = [await SlotMember.join(openStore(options()), single), await SlotMember.join(open(), single)];
    await admin.call("CLIENT", "KILL", "TYPE", "pubsub");
    for (const member of [a, b]) expect(await member.hinted()).toBeUndefined();
    await handOver(a, b);
    await handOver(b, a);
  });

  test("go on after the network went silent", async () => {
    const proxy = await FaultProxy.listen(server);
    afterwards(() => proxy.close());
    const runtime = { ...systemRuntime, ...checkingEvery(100) };
    const url = `redis://127.0.0.1:${proxy.port}`;
    const a = await SlotMember.join(openStore({ url, options: { protocol }, runtime }), single);
    const b = await SlotMember.join(open(), single);
    proxy.apply({ type: "stall" });
    proxy.strand();
    expect(await a.hinted()).toBeUndefined();
    await handOver(b, a);
  });
});

describe("the channel of a member", () => {
  test("has a name from which neither the secret nor the member follows, on the same connection as the group's", async () => {
    const store = open();
    const member = await SlotMember.join(store, single);
    const secret = (await secretOf(admin, group)) as string;
    const hash = sha1(`${secret} ${member.registration.incarnation}`);
    expect(await channels()).toEqual([`dt:{g}:changed:${hash}`]);
    await store.onHint?.("g", () => {});
    expect((await channels()).sort()).toEqual([`dt:{g}:changed:${secret}`, `dt:{g}:changed:${hash}`].sort());
    const list = (await admin.client("LIST")) as string;
    expect(list.split("\n").filter((line) => / sub=[1-9]/.test(line))).toHaveLength(1);
  });

  test("is left when nobody listens to it, and the group's goes on", async () => {
    const store = open();
    let hints = 0;
    await store.onHint?.("g", () => {
      hints += 1;
    });
    const member = new SlotMember(store, single);
    const stop = await store.onSlotHint?.("g", member.registration, () => {});
    expect(await channels()).toHaveLength(2);
    stop?.();
    await until("it is left", 5_000, async () => (await channels()).length === 1);
    await open().register("g", newcomer());
    await until("a hint came", 5_000, () => hints > 0);
  });

  test("is another one once somebody else made the secret: the member moves to it, and the move is a hint", async () => {
    const store = openStore({ url: server.url, ...patient, runtime: { ...systemRuntime, ...checkingEvery(100) } });
    const [a, b] = [await SlotMember.join(store, single), await SlotMember.join(open(), single)];
    await admin.hset(group.hints, "secret", "other");
    expect(await a.hinted()).toBeUndefined();
    await handOver(b, a);
  });

  test("is brought back after all data was flushed, when the member comes back", async () => {
    const never = { ...systemRuntime, ...checkingEvery(600_000) };
    const store = openStore({ url: server.url, ...patient, runtime: never });
    const a = await SlotMember.join(store, single);
    const before = await channelFor(a);
    await admin.flushall();
    await expect(a.report(0, 0)).rejects.toThrow("refused: unknown");
    await store.register("g", { ...a.registration, seq: 100, rejoin: true });
    await until("the secret is back", 10_000, async () => (await secretOf(admin, group)) !== null);
    expect(await channelFor(a)).toBe(before);
  });

  test("takes no text that is no hint, and nothing from one who does not know the secret, though perhaps the name", async () => {
    const a = await SlotMember.join(open(), single);
    const [channel, secret] = [await channelFor(a), (await secretOf(admin, group)) as string];
    const proven = (text: string): string => `${text} ${sha1(`${secret} ${a.registration.incarnation} ${text}`)}`;
    for (const text of [
      "",
      "hello",
      "offer",
      "offer 1 2 3",
      "offer x 1 1 1",
      "ask -1 1",
      "ask 1 1 1",
      "offer 1e999 1 1 1",
    ])
      for (const message of [text, proven(text)]) expect(await admin.publish(channel, message)).toBe(1);
    const other = proven("ask 1 6").split(" ").at(-1);
    for (const message of ["ask 1 7", `ask 1 7 ${other}`, `ask 1 7 ${sha1("ask 1 7")}`, "offer 1 1 1 0 ", secret])
      expect(await admin.publish(channel, message)).toBe(1);
    const { incarnation, id } = a.registration;
    for (const guess of [incarnation, id, "", "null", "undefined", sha1(incarnation)])
      expect(await admin.publish(`${group.channel}:${guess}`, "ask 1 1")).toBe(0);
    await admin.publish(channel, proven("ask 1 7"));
    expect(await a.hinted()).toEqual({ kind: "ask", give: 1, waterLevel: 7 });
    expect(a.hints).toEqual([]);
  });

  test("is not published on where nobody listens to the group", async () => {
    const store = open();
    const [a, b] = [new SlotMember(store, single), new SlotMember(store, single)];
    for (const { registration } of [a, b]) await store.register("g", registration);
    await a.report(0, 1);
    await b.report(0, 1);
    expect(await a.report(0, 0)).toMatchObject({ held: 0 });
    expect(await b.report(0, 1)).toMatchObject({ held: 1 });
    expect(await admin.info("commandstats")).not.toContain("cmdstat_publish");
  });
});

describe("a client of another kind", () => {
  const openOther = (withText: boolean): RedisStore => {
    const [commands, subscriber] = [openClient(server.url), openClient(server.url)];
    const listeners = new Map<string, (text?: string) => void>();
    subscriber.on("message", (channel: string, text: string) => listeners.get(channel)?.(...(withText ? [text] : [])));
    const client: RedisClient = {
      call: (command, ...args) => commands.call(command, ...args),
      listen: async (channel, onMessage) => {
        listeners.set(channel, onMessage);
        await subscriber.subscribe(channel);
        return () => void subscriber.unsubscribe(channel).catch(() => {});
      },
    };
    return openStore({ client, ...patient });
  };

  test("hands the text on", async () => {
    const [a, b] = [await SlotMember.join(openOther(true), single), await SlotMember.join(open(), single)];
    await handOver(b, a);
  });

  test("that gives no text is told that hints may have been missed", async () => {
    const [a, b] = [await SlotMember.join(openOther(false), single), await SlotMember.join(open(), single)];
    await b.report(0, 1);
    await a.report(0, 1);
    await b.report(0, 0);
    expect(await a.hinted()).toBeUndefined();
  });

  test("that cannot listen has no hints of slots, and keeps the queue all the same", async () => {
    const commands = openClient(server.url);
    const store = redisStore({ ...patient, client: { call: (command, ...args) => commands.call(command, ...args) } });
    afterwards(() => store.close());
    expect(store.onSlotHint).toBeUndefined();
    expect(store.capabilities).toMatchObject({ slots: true, hints: false });
    const a = new SlotMember(store, single);
    await store.register("g", a.registration);
    expect(await a.report(0, 1)).toMatchObject({ held: 1, demand: { slots: { over: false, wanted: false } } });
  });
});

test("below the keyPrefix of a client, hints of slots come as well", async () => {
  const members = await Promise.all(
    ["one:", "one:", "other:"].map((keyPrefix) => {
      const client = new Redis(server.url, { autoResendUnfulfilledCommands: false, keyPrefix });
      afterwards(() => client.disconnect());
      return SlotMember.join(openStore({ client, ...patient }), single);
    }),
  );
  const [a, b, stranger] = members as [SlotMember, SlotMember, SlotMember];
  await handOver(a, b);
  expect(stranger.hints).toEqual([]);
});
