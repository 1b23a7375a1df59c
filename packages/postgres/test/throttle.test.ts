import { startPostgres } from "@dt-tooling/backends";
import { testThrottleOutages } from "@dt-tooling/backends/test-throttle-outages";
import { postgresStore } from "../src/index.ts";

testThrottleOutages(
  () => startPostgres({ control: true }),
  (server) => postgresStore({ connectionString: server.url }),
  {
    // A share is valid for about two seconds.
    staleAfter: "3.2s",
    // Round trips are long on a busy machine, and nothing here depends on how well the clock is known.
    clockError: 500,
  },
  [
    ["stopped (SIGSTOP)", (server) => server.pause(), (server) => server.resume()],
    ["killed, and back with its data", (server) => server.kill(), (server) => server.restart({ keepData: true })],
    ["killed, and back without its data", (server) => server.kill(), (server) => server.restart({ keepData: false })],
  ],
);
