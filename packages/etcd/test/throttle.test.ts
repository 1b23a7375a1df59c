import { type EtcdServer, startEtcd } from "@dt-tooling/backends";
import { testThrottleOutages } from "@dt-tooling/backends/test-throttle-outages";
import { etcdStore } from "../src/index.ts";

const node = (server: EtcdServer) => server.nodes[0] as EtcdServer["nodes"][number];

testThrottleOutages(
  () => startEtcd({ control: true }),
  (server) => etcdStore({ endpoints: server.endpoints }),
  {
    // A share is valid for about two and a half seconds. Leases count whole seconds.
    staleAfter: "4s",
    // Round trips are long on a busy machine, and nothing here depends on how well the clock is known.
    clockError: 500,
  },
  [
    ["stopped (SIGSTOP)", (server) => node(server).pause(), (server) => node(server).resume()],
    ["killed, and back with its data", (server) => node(server).kill(), (server) => server.restart({ keepData: true })],
    [
      "killed, and back without its data",
      (server) => node(server).kill(),
      (server) => server.restart({ keepData: false }),
    ],
  ],
);
