import { conformance, type StoreTarget } from "@dt/conformance";
import { systemRuntime } from "@dt/core";
import { type EtcdServer, startEtcd } from "@dt-tooling/backends";
import { afterAll, beforeAll, describe, it } from "vitest";
import { etcdCapabilities, etcdStore } from "../src/index.ts";

describe("etcd, one node", () => {
  let server: EtcdServer;
  beforeAll(async () => {
    server = await startEtcd({ control: true });
  });
  afterAll(() => server?.stop());
  const options = () => ({ endpoints: server.endpoints });
  const target: StoreTarget = {
    name: "etcd (one node)",
    capabilities: etcdCapabilities,
    timeScale: 20,
    createStore: () => etcdStore(options()),
    createSkewedStore: (skewMs) =>
      etcdStore({ ...options(), runtime: { ...systemRuntime, now: () => systemRuntime.now() + skewMs } }),
  };
  conformance({ describe, it }, target, { concurrency: 16 });
});
