import { type EtcdServer, startEtcd } from "@dt-tooling/backends";
import { testPermitProcesses } from "@dt-tooling/simulator/hybrid";
import { afterAll, beforeAll } from "vitest";

let server: EtcdServer;
beforeAll(async () => {
  server = await startEtcd({ control: true });
});
afterAll(() => server?.stop());

testPermitProcesses(() => ({
  module: new URL("../src/index.ts", import.meta.url).href,
  factory: "etcdStore",
  store: { endpoints: server.endpoints },
}));
