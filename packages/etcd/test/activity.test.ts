import type { Activity, MemberView } from "@dt/core";
import { type EtcdServer, startEtcd } from "@dt-tooling/backends";
import { agree, Member } from "@dt-tooling/simulator/hybrid";
import { Etcd3 } from "etcd3";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type EtcdStore, etcdStore } from "../src/index.ts";
import { groupKeys } from "../src/keys.ts";

let server: EtcdServer;
let client: Etcd3;
let store: EtcdStore;
beforeAll(async () => {
  server = await startEtcd({});
  client = new Etcd3({ hosts: [...server.endpoints] });
  store = etcdStore({ endpoints: server.endpoints, timeout: "10s" });
});
afterAll(async () => {
  await store?.close();
  client?.close();
  await server?.stop();
});

const activity: Activity = { used: 7, waiting: 3 };

/** What the group's snapshot says of each member. */
async function shown(group: string): Promise<readonly (Partial<Activity> & { readonly id: string })[]> {
  const { members } = await store.inspect(group);
  return members.map(({ id, used, waiting }) => ({
    id,
    ...(used !== undefined && { used }),
    ...(waiting !== undefined && { waiting }),
  }));
}

/** How often a member's key was written. */
async function writes(group: string, id: string): Promise<number> {
  const { kvs } = await client.get(groupKeys("dt", group).memberOf(`${id}-boot`)).exec();
  return Number(kvs[0]?.version);
}

it("a heartbeat that changes nothing is not recorded for what its member does, and one that does change something carries it", async () => {
  const [a, b] = [new Member(store, "g", "a"), new Member(store, "g", "b")];
  await a.join();
  await b.join();
  await agree(a, b);
  const before = await writes("g", "a");
  for (let beat = 0; beat < 3; beat++) await a.beat({ activity });
  expect(await writes("g", "a")).toBe(before);
  expect(await shown("g")).toEqual([{ id: "a" }, { id: "b" }]);
  await a.beat({ max: 90, activity });
  expect(await shown("g")).toEqual([{ id: "a", ...activity }, { id: "b" }]);
});

it("what was recorded longer ago than a stale age is not told any more, though its member lives", async () => {
  const a = new Member(store, "old", "a", { staleAfterMs: 3_000 });
  const view: MemberView = await a.join();
  await a.beat({ generation: view.generation, activity });
  expect(await shown("old")).toEqual([{ id: "a", ...activity }]);
  await expect
    .poll(
      async () => {
        await a.beat({ activity: { used: 9, waiting: 9 } });
        return shown("old");
      },
      { timeout: 10_000, interval: 300 },
    )
    .toEqual([{ id: "a" }]);
});
