import type { CoordinationStore, MemberView } from "@dt/core";
import { type EtcdServer, startEtcd } from "@dt-tooling/backends";
import { agree, Member } from "@dt-tooling/simulator/hybrid";
import { Etcd3 } from "etcd3";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { groupKeys } from "../src/keys.ts";
import { FaultyDriver, storeOn } from "./support/faulty-driver.ts";

/** On a real etcd: transactions that took effect although their answer never came, that come late, or twice. */
let server: EtcdServer;
let driver: FaultyDriver;
beforeAll(async () => {
  server = await startEtcd({ control: true });
  driver = new FaultyDriver(server.endpoints);
});
afterAll(async () => {
  driver?.close();
  await server?.stop();
});

let group = "";
let groups = 0;
let store: CoordinationStore;
/** Another client of the same group. */
let other: CoordinationStore;
beforeEach(() => {
  group = `lost-${groups++}`;
  store = storeOn(driver);
  other = storeOn(driver);
});

it("a registration whose answer was lost is there, and repeating it makes no second member", async () => {
  const member = new Member(store, group, "a");
  driver.loseAnswer();
  await expect(member.register()).rejects.toThrow("DEADLINE_EXCEEDED");
  const [first] = (await other.inspect(group)).members;
  expect(first?.incarnation).toBe("a-boot");
  const { generation } = await other.inspect(group);
  expect(await member.join()).toMatchObject({ status: "agree", members: 1, held: 100, generation });
  expect((await member.beat()).status).toBe("agree");
});

it("a report whose answer was lost has lowered what it says, and the next one goes on from there", async () => {
  const [a, b] = [new Member(store, group, "a"), new Member(other, group, "b")];
  await a.join();
  await b.join();
  await a.beat();
  // So long that the time in the head is renewed first, in a transaction of its own: that one is not lost.
  await new Promise((resolve) => setTimeout(resolve, 400));
  driver.loseAnswer();
  await expect(a.sync({ held: 50 })).rejects.toThrow("DEADLINE_EXCEEDED");
  expect((await b.beat()).held).toBe(50);
  const [view] = await agree(a, b);
  expect(view?.held).toBe(50);
});

it("a raise whose answer was lost is on record: nobody else is given the same tokens", async () => {
  const [a, b, c] = [new Member(store, group, "a"), new Member(other, group, "b"), new Member(other, group, "c")];
  await a.join();
  await b.join();
  await a.beat();
  await a.beat({ held: 70 });
  driver.loseAnswer();
  await expect(b.sync()).rejects.toThrow("DEADLINE_EXCEEDED");
  // 70, and the 30 that were given to the second.
  expect((await c.join()).held).toBe(0);
  expect((await other.inspect(group)).held).toBe(100);
});

it("a farewell whose answer was lost has taken the member out, and may be repeated", async () => {
  const [a, b] = [new Member(store, group, "a"), new Member(other, group, "b")];
  await a.join();
  await b.join();
  driver.loseAnswer();
  await expect(a.leave()).rejects.toThrow("DEADLINE_EXCEEDED");
  expect((await b.beat()).held).toBe(100);
  const { generation } = await other.inspect(group);
  await a.leave();
  expect(await other.inspect(group)).toMatchObject({ memberCount: 1, generation });
});

it("a transaction that comes late, after another one, does nothing", async () => {
  const [a, b] = [new Member(store, group, "a"), new Member(other, group, "b")];
  await a.join();
  await b.join();
  await a.beat();
  let sendNow = async (): Promise<unknown> => undefined;
  driver.next = async (_, send) => {
    sendNow = send;
    throw new Error("4 DEADLINE_EXCEEDED: Deadline exceeded");
  };
  await expect(a.sync({ held: 10 })).rejects.toThrow("DEADLINE_EXCEEDED");
  await a.beat({ held: 70 });
  const before = await other.inspect(group);
  expect(await sendNow()).toMatchObject({ done: false });
  expect({ ...(await other.inspect(group)), storeTimeMs: 0, groupAgeMs: 0 }).toEqual({
    ...before,
    storeTimeMs: 0,
    groupAgeMs: 0,
  });
});

it("a transaction that comes twice has the effect of one", async () => {
  const member = new Member(store, group, "a");
  driver.next = async (_, send) => {
    await send();
    return send();
  };
  // The second says that the group has changed: it was the first that changed it.
  expect(await member.join()).toMatchObject({ status: "agree", members: 1, held: 100 });
  expect(await other.inspect(group)).toMatchObject({ memberCount: 1, held: 100 });
});

it("a member that comes back to life between the look and its removal stays", async () => {
  const survivor = new Member(store, group, "survivor");
  const victim = new Member(other, group, "victim", { staleAfterMs: 4_000 });
  await survivor.join();
  await victim.join();
  await agree(survivor, victim);
  let revived = 0;
  const beforeRemoval: typeof driver.next = async (transaction, send) => {
    if (transaction.deletes.some((key) => key.endsWith("/member/victim-boot"))) {
      revived = performance.now();
      expect((await victim.beat()).members).toBe(2);
    } else driver.next = beforeRemoval;
    return send();
  };
  driver.next = beforeRemoval;
  while (revived === 0) expect((await survivor.beat()).members).toBe(2);
  expect((await victim.beat()).status).not.toBe("unknown");
  // Silent again, it is removed, a stale age after that.
  await expect.poll(() => survivor.beat().then(({ members }) => members)).toBe(1);
  expect(performance.now() - revived).toBeGreaterThan(3_900);
});

it("a member that was removed is told so, also when its lease ends while its call is under way", {
  timeout: 30_000,
}, async () => {
  const [a, b] = [new Member(store, group, "a", { staleAfterMs: 4_000 }), new Member(other, group, "b")];
  await a.join();
  await b.join();
  await agree(a, b);
  await other.deregister(group, a.ref, { seq: a.seq + 1, level: null });
  const { keepAlive } = driver;
  driver.keepAlive = async (lease) => {
    driver.keepAlive = keepAlive;
    // Longer than its lease of two seconds, which etcd ends within one more.
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    return keepAlive(lease);
  };
  a.seq += 1;
  expect(await a.sync()).toMatchObject({ status: "unknown" });
});

it("a registration that takes longer than its lease has no effect, says so, and can be repeated", {
  timeout: 30_000,
}, async () => {
  const member = new Member(store, group, "a", { staleAfterMs: 4_000 });
  driver.next = async (_, send) => {
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    return send();
  };
  const error: unknown = await member.register().catch((reason: unknown) => reason);
  expect(error).toMatchObject({ code: "DT_STORE_UNAVAILABLE", effect: "definite" });
  expect(await other.inspect(group)).toMatchObject({ memberCount: 0 });
  expect(await member.join()).toMatchObject({ members: 1, held: 100 });
});

describe("a call that waits for its turn until its member's lease has ended", () => {
  let client: Etcd3;
  beforeAll(() => {
    client = new Etcd3({ hosts: [...server.endpoints] });
  });
  afterAll(() => client?.close());

  const ended = (lease: () => Promise<string | undefined>): Promise<void> => {
    const secondsLeft = async (): Promise<number> => {
      const ID = await lease();
      return ID === undefined ? 0 : Number((await client.leaseClient.leaseTimeToLive({ ID })).TTL);
    };
    return expect.poll(secondsLeft).toBe(-1);
  };

  it("joins: a registration is given another lease", async () => {
    const ahead = new Member(store, group, "ahead", { staleAfterMs: 600_000 });
    const member = new Member(store, group, "a", { staleAfterMs: 4_000 });
    const leases: string[] = [];
    const { grantLease } = driver;
    driver.grantLease = async (seconds) => {
      const lease = await grantLease(seconds);
      leases.push(lease.id);
      return lease;
    };
    let joining: Promise<MemberView> | undefined;
    driver.next = async (_, send) => {
      joining = member.join();
      await ended(async () => leases[1]);
      return send();
    };
    await ahead.join();
    expect(await joining).toMatchObject({ members: 2 });
    driver.grantLease = grantLease;
    expect((await member.beat()).members).toBe(2);
  });

  it("is answered: a member is given another lease with its report", async () => {
    const ahead = new Member(store, group, "ahead", { staleAfterMs: 600_000 });
    const member = new Member(store, group, "a", { staleAfterMs: 4_000 });
    await ahead.join();
    await member.join();
    const alive = Buffer.from(groupKeys("dt", group).aliveOf(member.ref.incarnation));
    const leaseOf = async (): Promise<string | undefined> => (await client.kv.range({ key: alive })).kvs[0]?.lease;
    const first = await leaseOf();
    let reporting: Promise<MemberView> | undefined;
    driver.next = async (_, send) => {
      reporting = member.beat();
      await ended(async () => first);
      return send();
    };
    await ahead.beat();
    expect(await reporting).toMatchObject({ members: 2 });
    expect([undefined, first]).not.toContain(await leaseOf());
    expect((await member.beat()).members).toBe(2);
  });
});
