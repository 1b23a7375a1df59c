import { setTimeout as sleep } from "node:timers/promises";
import type { CoordinationStore, MemberView } from "@dt/core";
import { type EtcdServer, FaultProxy, startEtcd } from "@dt-tooling/backends";
import { Member } from "@dt-tooling/simulator/hybrid";
import { Etcd3 } from "etcd3";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { groupKeys } from "../src/keys.ts";
import { FaultyDriver, storeOn } from "./support/faulty-driver.ts";

/** On a real etcd, over a link on which a few round trips take longer than a member's lease lasts. */
let server: EtcdServer;
let proxy: FaultProxy;
let client: Etcd3;
/** Over the proxy. */
let far: FaultyDriver;
/** Straight to etcd. */
let near: FaultyDriver;
beforeAll(async () => {
  server = await startEtcd({ control: true });
  proxy = await FaultProxy.listen(server.nodes[0] as EtcdServer["nodes"][number]);
  client = new Etcd3({ hosts: [...server.endpoints] });
  far = new FaultyDriver([`http://127.0.0.1:${proxy.port}`]);
  near = new FaultyDriver(server.endpoints);
});
afterAll(async () => {
  client?.close();
  far?.close();
  near?.close();
  await proxy?.close();
  await server?.stop();
});
afterEach(() => proxy.apply(undefined));

let group = "";
let groups = 0;
let store: CoordinationStore;
let other: CoordinationStore;
beforeEach(() => {
  group = `slow-${groups++}`;
  store = storeOn(far, { timeoutMs: 60_000 });
  other = storeOn(near);
});

/** The lease of a member's sign of life; undefined when there is no such sign. */
async function leaseOf({ ref }: Member): Promise<string | undefined> {
  const key = Buffer.from(groupKeys("dt", group).aliveOf(ref.incarnation));
  return (await client.kv.range({ key })).kvs[0]?.lease;
}

/**
 * 2.4 s for each round trip (gRPC gives up a connection on which nothing comes back for 3 s); and the next transaction
 * finds that somebody else was faster.
 */
function slowAndLate(): void {
  proxy.apply({ type: "delay", delayMs: 1_200 });
  far.next = async (_, send) => {
    await new Member(other, group, "faster", { staleAfterMs: 600_000 }).join();
    return send();
  };
}

describe("a call whose round trips take longer together than its member's lease of four seconds", () => {
  it("joins", async () => {
    // The connection is there before the link gets slow.
    await store.inspect(group);
    const member = new Member(store, group, "a", { staleAfterMs: 8_000 });
    slowAndLate();
    expect(await member.join()).toMatchObject({ members: 2 });
    expect(await leaseOf(member)).toBeDefined();
  });

  it("is answered", async () => {
    const member = new Member(store, group, "a", { staleAfterMs: 8_000 });
    await member.join();
    slowAndLate();
    expect(await member.beat({ held: 50 })).toMatchObject({ members: 2 });
    expect(await leaseOf(member)).toBeDefined();
  });
});

describe("a call that was recorded, and whose answer comes after its member's lease has ended", () => {
  /**
   * The next transaction is recorded; its answer comes when the member has no sign of life any more, and something else
   * was done.
   */
  function answeredLate(member: Member, meanwhile = async (): Promise<void> => {}): void {
    far.next = async (_, send) => {
      const committed = await send();
      await expect.poll(() => leaseOf(member)).toBeUndefined();
      await meanwhile();
      return committed;
    };
  }

  it.each([
    ["a registration", (member: Member): Promise<MemberView> => member.join()],
    ["a report", (member: Member): Promise<MemberView> => member.beat({ held: 50 })],
  ])("%s is answered, and the member has another lease", async (what, call) => {
    const member = new Member(store, group, "a", { staleAfterMs: 4_000 });
    if (what === "a report") await member.join();
    answeredLate(member);
    expect(await call(member)).toMatchObject({ members: 1, held: 100 });
    expect(await leaseOf(member)).toBeDefined();
    // It is a member like every other: nobody removes it while it goes on reporting.
    const observer = new Member(other, group, "observer");
    await observer.join();
    for (const until = performance.now() + 6_000; performance.now() < until; await sleep(50))
      expect(await Promise.all([member.beat(), observer.beat()])).toMatchObject([{ members: 2 }, { members: 2 }]);
  });

  it("a report of a member that was removed in between is told so, and has no other lease", {
    timeout: 60_000,
  }, async () => {
    const member = new Member(store, group, "a", { staleAfterMs: 4_000 });
    const survivor = new Member(other, group, "b", { staleAfterMs: 600_000 });
    await survivor.join();
    await member.join();
    answeredLate(member, async () => {
      await expect.poll(async () => (await survivor.beat()).members).toBe(1);
    });
    expect(await member.sync({ held: 0 })).toMatchObject({ status: "unknown" });
    expect(await leaseOf(member)).toBeUndefined();
  });

  it("a registration of a member that has left in between does not bring it back", async () => {
    const member = new Member(store, group, "a", { staleAfterMs: 4_000 });
    let sent = 0;
    const { keepAlive } = far;
    far.keepAlive = async (lease) => {
      far.keepAlive = keepAlive;
      const isAlive = await keepAlive(lease);
      sent += 1;
      await member.leave();
      return isAlive;
    };
    answeredLate(member);
    await expect(member.join()).rejects.toMatchObject({ code: "DT_STORE_UNAVAILABLE", effect: "unknown" });
    expect(sent).toBe(1);
    expect(await other.inspect(group)).toMatchObject({ memberCount: 0 });
  });
});
