import type { GroupSnapshot } from "@dt/core";
import { type EtcdServer, startEtcd } from "@dt-tooling/backends";
import { Member } from "@dt-tooling/worlds/hybrid";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type EtcdStore, etcdStore } from "../src/index.ts";

/** Divides without remainder by every pool size up to 12: what is held never exceeds it, agreed or not. */
const CAPACITY = 27_720;
const CROWD = 6;

describe("three nodes", () => {
  let server: EtcdServer;
  const stores: EtcdStore[] = [];
  beforeAll(async () => {
    server = await startEtcd({ control: true, nodes: 3 });
    for (let i = 0; i < 3; i++) stores.push(etcdStore({ endpoints: server.endpoints }));
  });
  afterAll(async () => {
    for (const store of stores) await store.close();
    await server?.stop();
  });
  let group = "";
  let groups = 0;
  beforeEach(() => {
    group = `cluster-${groups++}`;
  });

  /** Members that sync, leave and join as fast as they can until told to stop; failures are counted, and nothing else may go wrong. */
  function load(): { readonly stop: () => Promise<{ calls: number; failures: number }>; readonly members: Member[] } {
    let stopping = false;
    let calls = 0;
    let failures = 0;
    const options = { max: CAPACITY, staleAfterMs: 20_000 };
    const members = Array.from(
      { length: CROWD },
      (_, i) => new Member(stores[i % 3] as EtcdStore, group, `m${i}`, options),
    );
    const live = async (member: Member): Promise<void> => {
      while (!stopping) {
        try {
          const view = await (member.seq === 0 ? member.register() : member.sync());
          // A registration whose answer was lost may have taken effect or not.
          if (view.status === "unknown") await member.register();
          calls += 1;
        } catch {
          failures += 1;
        }
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    const all = Promise.all(members.map(live));
    const stop = async (): Promise<{ calls: number; failures: number }> => {
      stopping = true;
      await all;
      return { calls, failures };
    };
    return { stop, members };
  }

  function sound({ members, held, poolSize, adopted, generation }: GroupSnapshot): void {
    expect(members.reduce((sum, member) => sum + member.held, 0)).toBe(held);
    expect(held).toBeLessThanOrEqual(CAPACITY);
    expect(members.map(({ rank }) => rank)).toEqual(Array.from({ length: poolSize }, (_, rank) => rank));
    expect(members.filter((member) => member.generation === generation)).toHaveLength(adopted);
  }

  async function allAgree(members: readonly Member[]): Promise<boolean> {
    const views = await Promise.all(members.map((member) => member.sync()));
    return views.every((view) => view.status === "agree" && "poolSize" in view && view.poolSize === members.length);
  }

  it("while leaders are killed under load the ledger stays sound, and everybody agrees afterwards", {
    timeout: 120_000,
  }, async () => {
    const { stop, members } = load();
    let generation = 0;
    let looks = 0;
    const look = async (): Promise<void> => {
      const snapshot = await (stores[0] as EtcdStore).inspect(group);
      sound(snapshot);
      expect(snapshot.generation).toBeGreaterThanOrEqual(generation);
      generation = snapshot.generation;
      looks += 1;
    };
    await expect.poll(() => look().then(() => looks, String), { timeout: 10_000 }).toBeGreaterThan(5);
    for (let kill = 0; kill < 2; kill++) {
      const leader = await server.leader();
      await leader.kill();
      const from = looks;
      await expect.poll(() => look().then(() => looks - from, String), { timeout: 20_000 }).toBeGreaterThan(10);
      await leader.restart({ keepData: true });
    }
    const { calls, failures } = await stop();
    expect(calls).toBeGreaterThan(failures);
    await expect.poll(() => allAgree(members).catch(() => false), { timeout: 20_000 }).toBe(true);
    sound(await (stores[0] as EtcdStore).inspect(group));
    for (const member of members) await member.leave();
  });

  it("a node that is stopped costs a call or two, and is then avoided", { timeout: 60_000 }, async () => {
    const store = stores[0] as EtcdStore;
    const member = new Member(store, group, "a", { staleAfterMs: 60_000 });
    await member.join();
    const leader = await server.leader();
    const follower = server.nodes.find((node) => node !== leader) as EtcdServer["nodes"][number];
    await follower.pause();
    try {
      let failures = 0;
      for (let i = 0; i < 60; i++) await member.sync().catch(() => (failures += 1));
      expect(failures).toBeLessThanOrEqual(4);
    } finally {
      await follower.resume();
    }
  });

  it("a leader that is stopped, and goes on when another one leads, leaves the ledger sound", {
    timeout: 120_000,
  }, async () => {
    const { stop, members } = load();
    const look = (): Promise<string> =>
      (stores[1] as EtcdStore).inspect(group).then((snapshot) => {
        sound(snapshot);
        return snapshot.poolSize === CROWD ? "sound" : `${snapshot.poolSize} members`;
      }, String);
    await expect.poll(look, { timeout: 10_000 }).toBe("sound");
    const leader = await server.leader();
    await leader.pause();
    await expect.poll(look, { timeout: 20_000 }).toBe("sound");
    await leader.resume();
    for (let i = 0; i < 20; i++) expect(await look()).toMatch(/sound|Error/);
    await stop();
    await expect.poll(() => allAgree(members).catch(() => false), { timeout: 20_000 }).toBe(true);
  });
});
