import { type EtcdServer, startEtcd } from "@dt-tooling/backends";
import { testStoredGroups, testStoredLimits } from "@dt-tooling/simulator/hybrid";
import { Etcd3 } from "etcd3";
import { afterAll, beforeAll } from "vitest";
import { etcdStore } from "../src/index.ts";
import { groupKeys } from "../src/keys.ts";

let server: EtcdServer;
let client: Etcd3;
beforeAll(async () => {
  server = await startEtcd({ control: true });
  client = new Etcd3({ hosts: [...server.endpoints] });
});
afterAll(async () => {
  client?.close();
  await server?.stop();
});

const open = () => etcdStore({ endpoints: server.endpoints, timeout: "10s" });
testStoredLimits(open);
testStoredGroups(open, () => ({
  spoilLimit: async (group, text) => client.put(groupKeys("dt", group).limit).value(text),
}));
