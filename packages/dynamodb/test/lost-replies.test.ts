import type { CoordinationStore } from "@dt/core";
import { type DynamoDbServer, startDynamoDb } from "@dt-tooling/backends";
import { agree, Member } from "@dt-tooling/simulator/hybrid";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { FaultyDriver, storeOn } from "./support/faulty-driver.ts";
import { makeTable } from "./support/table.ts";

/** On a real server: writes that took effect although their answer never came, that come late, or twice. */
let server: DynamoDbServer;
let driver: FaultyDriver;
beforeAll(async () => {
  server = await startDynamoDb({ control: true });
  const config = { endpoint: server.url, region: server.region, credentials: server.credentials };
  await makeTable(server, "throttle");
  driver = new FaultyDriver(config, "throttle");
});
afterAll(async () => {
  driver?.close();
  await server?.stop();
});

let group = "";
let groups = 0;
let store: CoordinationStore;
let other: CoordinationStore;
beforeEach(() => {
  group = `lost-${groups++}`;
  store = storeOn(driver);
  other = storeOn(driver);
});

it("a registration whose answer was lost is there, and repeating it makes no second member", async () => {
  const member = new Member(store, group, "a");
  driver.loseAnswer();
  await expect(member.register()).rejects.toThrow("socket hang up");
  const { generation, members } = await other.inspect(group);
  expect(members.map(({ incarnation }) => incarnation)).toEqual(["a-boot"]);
  expect(await member.join()).toMatchObject({ status: "agree", members: 1, held: 100, generation });
});

it("a raise whose answer was lost is on record: nobody else is given the same tokens", async () => {
  const [a, b, c] = [new Member(store, group, "a"), new Member(other, group, "b"), new Member(other, group, "c")];
  await a.join();
  await b.join();
  await a.beat();
  await a.beat({ held: 70 });
  driver.loseAnswer();
  await expect(b.sync()).rejects.toThrow("socket hang up");
  expect((await c.join()).held).toBe(0);
  expect((await other.inspect(group)).held).toBe(100);
});

it("a head that was never written is made good by whoever comes next", async () => {
  const [a, b] = [new Member(store, group, "a"), new Member(other, group, "b")];
  await a.join();
  driver.loseAnswer();
  await expect(b.register()).rejects.toThrow("socket hang up");
  await b.join();
  expect((await agree(a, b)).map(({ held }) => held)).toEqual([50, 50]);
});

it("a write that comes late, after another one, does nothing", async () => {
  const [a, b] = [new Member(store, group, "a"), new Member(other, group, "b")];
  await a.join();
  await b.join();
  await a.beat();
  let sendNow = async (): Promise<boolean> => true;
  driver.next = async (send) => {
    sendNow = send;
    throw new Error("socket hang up");
  };
  await expect(a.sync({ held: 10 })).rejects.toThrow("socket hang up");
  await a.beat({ held: 70 });
  const { held, generation } = await other.inspect(group);
  expect(await sendNow()).toBe(false);
  expect(await other.inspect(group)).toMatchObject({ held, generation });
});

it("a write that the client sent twice has the effect of one, and is known as its own", async () => {
  const member = new Member(store, group, "a");
  driver.next = async (send) => {
    await send();
    return send();
  };
  expect(await member.join()).toMatchObject({ status: "agree", members: 1, held: 100 });
  expect(await other.inspect(group)).toMatchObject({ memberCount: 1, held: 100 });
});

it("a member that is declared gone and comes back before its removal is written stays", {
  timeout: 30_000,
}, async () => {
  const survivor = new Member(store, group, "survivor");
  const victim = new Member(other, group, "victim", { staleAfterMs: 1_500 });
  await survivor.join();
  await victim.join();
  await agree(survivor, victim);
  let returned = 0;
  while (returned === 0) {
    driver.next = async (send, { text }) => {
      if (!String(text).includes("victim-boot")) {
        returned = performance.now();
        expect((await victim.beat()).members).toBe(2);
      }
      return send();
    };
    expect((await survivor.beat()).members).toBe(2);
  }
  driver.next = undefined;
  expect((await victim.beat()).status).not.toBe("unknown");
  // Silent again, it is removed, a stale age after that.
  await expect.poll(() => survivor.beat().then(({ members }) => members)).toBe(1);
  expect(performance.now() - returned).toBeGreaterThan(1_490);
});

it("a removal that was begun and not finished is finished by the next observer", async () => {
  const survivor = new Member(store, group, "survivor", { staleAfterMs: 2_000 });
  const victim = new Member(other, group, "victim", { staleAfterMs: 2_000 });
  await survivor.join();
  await victim.join();
  await agree(survivor, victim);
  let died = false;
  while (!died) {
    driver.next = async (send, { text }) => {
      if (String(text).includes("victim-boot")) return send();
      died = true;
      throw new Error("the observer dies");
    };
    await survivor.sync().catch(() => {});
  }
  driver.next = undefined;
  const heir = new Member(storeOn(driver), group, "heir", { staleAfterMs: 60_000 });
  await heir.join();
  await expect.poll(() => heir.beat().then(({ members }) => members)).toBe(1);
});
