import type { GroupSnapshot } from "@dt/core";
import { type EtcdServer, startEtcd } from "@dt-tooling/backends";
import { Member } from "@dt-tooling/simulator/hybrid";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type EtcdStore, etcdStore } from "../src/index.ts";

/** Divides without remainder by every member count up to 12: what is held never exceeds it, agreed or not. */
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

  /**
   * Members that call as fast as they can until told to stop. How often each was answered is counted; a call may fail,
   * and nothing else may go wrong.
   */
  function load(): { readonly stop: () => Promise<void>; readonly members: Member[]; readonly answered: number[] } {
    let stopping = false;
    const answered = Array.from({ length: CROWD }, () => 0);
    const options = { max: CAPACITY, staleAfterMs: 20_000 };
    const members = Array.from(
      { length: CROWD },
      (_, i) => new Member(stores[i % 3] as EtcdStore, group, `m${i}`, options),
    );
    const live = async (member: Member, index: number): Promise<void> => {
      while (!stopping) {
        try {
          const view = await (member.seq === 0 ? member.register() : member.sync());
          // A registration whose answer was lost may have taken effect or not.
          if (view.status === "unknown") await member.register();
          answered[index] = (answered[index] as number) + 1;
        } catch {
          // A leader is being killed: the next call finds another one.
        }
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    const all = Promise.all(members.map(live));
    const stop = async (): Promise<void> => {
      stopping = true;
      await all;
    };
    return { stop, members, answered };
  }

  function sound({ members, held, memberCount, adopted, generation }: GroupSnapshot): void {
    expect(members.reduce((sum, member) => sum + member.held, 0)).toBe(held);
    expect(held).toBeLessThanOrEqual(CAPACITY);
    expect(members.map(({ rank }) => rank)).toEqual(Array.from({ length: memberCount }, (_, rank) => rank));
    expect(members.filter((member) => member.generation === generation)).toHaveLength(adopted);
  }

  async function allAgree(members: readonly Member[]): Promise<boolean> {
    const views = await Promise.all(members.map((member) => member.sync()));
    return views.every((view) => view.status === "agree" && "members" in view && view.members === members.length);
  }

  it("while leaders are killed under load the ledger stays sound, and everybody agrees afterwards", {
    timeout: 120_000,
  }, async () => {
    const { stop, members, answered } = load();
    let generation = 0;
    let looks = 0;
    const look = async (): Promise<void> => {
      const snapshot = await (stores[0] as EtcdStore).inspect(group);
      sound(snapshot);
      expect(snapshot.generation).toBeGreaterThanOrEqual(generation);
      generation = snapshot.generation;
      looks += 1;
    };
    await expect.poll(() => look().then(() => looks, String)).toBeGreaterThan(5);
    for (let kill = 0; kill < 2; kill++) {
      const leader = await server.leader();
      await leader.kill();
      const from = looks;
      const before = [...answered];
      await expect.poll(() => look().then(() => looks - from, String)).toBeGreaterThan(10);
      // One answer may have been on its way already; with the next ones the two nodes that are left serve everybody.
      const served = () => answered.every((count, index) => count > (before[index] as number) + 1);
      await expect.poll(served).toBe(true);
      await leader.restart({ keepData: true });
    }
    await stop();
    await expect.poll(() => allAgree(members).catch(() => false)).toBe(true);
    sound(await (stores[0] as EtcdStore).inspect(group));
    for (const member of members) await member.leave();
  });

  it("a node that is stopped costs a call or two, and is then avoided", async () => {
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
        return snapshot.memberCount === CROWD ? "sound" : `${snapshot.memberCount} members`;
      }, String);
    await expect.poll(look).toBe("sound");
    const leader = await server.leader();
    await leader.pause();
    await expect.poll(look).toBe("sound");
    await leader.resume();
    for (let i = 0; i < 20; i++) expect(await look()).toMatch(/sound|Error/);
    await stop();
    await expect.poll(() => allAgree(members).catch(() => false)).toBe(true);
  });
});
