import { startDynamoDb } from "@dt-tooling/backends";
import { testThrottleOutages } from "@dt-tooling/backends/test-throttle-outages";
import { dynamodbStore } from "../src/index.ts";
import { makeTable } from "./support/table.ts";

testThrottleOutages(
  async () => {
    const server = await startDynamoDb({ control: true });
    await makeTable(server, "throttle");
    return server;
  },
  (server) =>
    dynamodbStore({
      table: "throttle",
      config: { endpoint: server.url, region: server.region, credentials: server.credentials },
    }),
  {
    // A share is valid for about two seconds.
    staleAfter: "3.2s",
    // The server computes in one process, on a machine that is busy: round trips say little about its clock, and
    // nothing here depends on it.
    clockError: 500,
  },
  [
    ["stopped (SIGSTOP)", (server) => server.pause(), (server) => server.resume()],
    ["killed, and back with its data", (server) => server.kill(), (server) => server.restart({ keepData: true })],
    [
      "killed, and back without its data, until the table is made again",
      (server) => server.kill(),
      async (server) => {
        await server.restart({ keepData: false });
        await makeTable(server, "throttle");
      },
    ],
  ],
);
