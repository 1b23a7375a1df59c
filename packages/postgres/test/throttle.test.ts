import { type PostgresServer, startPostgres } from "@dt-tooling/backends";
import { testThrottleOutages } from "@dt-tooling/backends/test-throttle-outages";
import { afterAll, beforeAll } from "vitest";
import { postgresStore } from "../src/index.ts";

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres({ control: true });
});
afterAll(() => server?.stop());

testThrottleOutages(
  () => postgresStore({ connectionString: server.url }),
  {
    // A share is valid for about two seconds.
    staleAfter: "3.2s",
    // Round trips are long on a busy machine, and nothing here depends on how well the clock is known.
    clockError: 500,
  },
  [
    ["stopped (SIGSTOP)", () => server.pause(), () => server.resume()],
    ["killed, and back with its data", () => server.kill(), () => server.restart({ keepData: true })],
    ["killed, and back without its data", () => server.kill(), () => server.restart({ keepData: false })],
  ],
);
