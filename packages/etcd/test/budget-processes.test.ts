import { LONGEST_LEAD_MS } from "@dt/cas";
import { type EtcdServer, startEtcd } from "@dt-tooling/backends";
import { testBudgetProcesses } from "@dt-tooling/simulator/hybrid";
import { afterAll, beforeAll } from "vitest";

let server: EtcdServer;
beforeAll(async () => {
  server = await startEtcd({ control: true });
});
afterAll(() => server?.stop());

testBudgetProcesses(
  () => ({
    module: new URL("../src/index.ts", import.meta.url).href,
    factory: "etcdStore",
    store: { endpoints: server.endpoints },
  }),
  2 * LONGEST_LEAD_MS,
);
