import { type EtcdServer, startEtcd } from "@dt-tooling/backends";
import { testThrottleOutages } from "@dt-tooling/backends/test-throttle-outages";
import { afterAll, beforeAll } from "vitest";
import { etcdStore } from "../src/index.ts";

let server: EtcdServer;
beforeAll(async () => {
  server = await startEtcd({ control: true });
});
afterAll(() => server?.stop());

const node = (): EtcdServer["nodes"][number] => server.nodes[0] as EtcdServer["nodes"][number];

testThrottleOutages(
  () => etcdStore({ endpoints: server.endpoints }),
  {
    // A share is valid for about two and a half seconds. Leases count whole seconds.
    staleAfter: "4s",
    // Round trips are long on a busy machine, and nothing here depends on how well the clock is known.
    clockError: 500,
  },
  [
    ["stopped (SIGSTOP)", () => node().pause(), () => node().resume()],
    ["killed, and back with its data", () => node().kill(), () => server.restart({ keepData: true })],
    ["killed, and back without its data", () => node().kill(), () => server.restart({ keepData: false })],
  ],
);
