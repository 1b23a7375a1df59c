import type { MemberView, Report } from "@dt/core";
import { type EtcdServer, startEtcd } from "@dt-tooling/backends";
import { withoutDemand } from "@dt-tooling/worlds/hybrid";
import { newcomer } from "@dt-tooling/worlds/requests";
import { Etcd3 } from "etcd3";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type EtcdStore, etcdStore } from "../src/index.ts";
import { type GroupKeys, groupKeys } from "../src/keys.ts";
import { decodeStoredGroup, decodeStoredMember, type StoredGroup } from "../src/stored.ts";

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

const demandOf = (want: number): { readonly want: number; readonly syncMs: number } => ({ want, syncMs: 1_000 });

/** A group of these wants, null for one that shares evenly, whose members have each read the answer. */
async function groupOf(group: string, wants: readonly (number | null)[]): Promise<readonly [GroupKeys, Report[]]> {
  const reports: Report[] = [];
  for (const [place, want] of wants.entries()) {
    const id = String(place);
    const demand = want === null ? {} : { demand: demandOf(want) };
    const registration = newcomer({ id, incarnation: id, max: 100, ...demand });
    const { generation, poolSize, held } = (await store.register(group, registration)) as MemberView;
    reports.push({ seq: 2, generation, poolSize, held, max: 100, level: null, ...demand });
  }
  return [groupKeys("dt", group), reports];
}

async function read(keys: GroupKeys): Promise<StoredGroup["row"]> {
  return decodeStoredGroup(keys.group, (await client.get(keys.group).string()) as string).row;
}

/** As a process of a version before R21 does that writes this key. */
async function writeBefore(key: string): Promise<void> {
  const value = (await client.get(key).string()) as string;
  await client.put(key).value(withoutDemand(value));
  // Of its own format nothing is lost.
  expect(JSON.parse(value)).toMatchObject(JSON.parse(withoutDemand(value)) as object);
}

it("what members want is counted anew where a version before R21 has written last, of those whose rows it left alone", async () => {
  const [keys, [a, , c]] = await groupOf("counted", [30, 20, 0, null]);
  expect(await read(keys)).toMatchObject({
    wants: [
      [0, 1],
      [20, 1],
      [30, 1],
    ],
  });
  await writeBefore(keys.group);
  await writeBefore(keys.memberOf("1"));
  expect(await read(keys)).toMatchObject({ wants: null });
  expect(await store.sync("counted", { id: "0", incarnation: "0" }, a as Report)).toHaveProperty("demand");
  expect(await read(keys)).toMatchObject({
    wants: [
      [0, 1],
      [30, 1],
    ],
  });
  const more = { ...(c as Report), demand: demandOf(7) };
  await store.sync("counted", { id: "2", incarnation: "2" }, more);
  expect(await read(keys)).toMatchObject({
    wants: [
      [7, 1],
      [30, 1],
    ],
  });
});

it("nobody's rows are counted where all share evenly", async () => {
  const [keys, [a]] = await groupOf("even", [null, null]);
  await writeBefore(keys.group);
  await store.sync("even", { id: "0", incarnation: "0" }, a as Report);
  expect(await read(keys)).toMatchObject({ wants: null });
});

it("a value that cannot be beside a member's row counts as nothing, and its row as before", async () => {
  const [keys] = await groupOf("hostile", [30]);
  const key = keys.memberOf("0");
  const value = (await client.get(key).string()) as string;
  for (const demand of [null, 7, "30", [], [30], [-1, 0, 0, 0], [30, 0, "now", 0], { want: 30 }]) {
    const hostile = JSON.stringify({ ...(JSON.parse(value) as object), demand });
    expect(decodeStoredMember(key, hostile).row).toEqual(decodeStoredMember(key, withoutDemand(value)).row);
  }
  expect(decodeStoredMember(key, value).row).toMatchObject({ want: 30 });
});
