import { once } from "node:events";
import { startDynamoDb } from "@dt-tooling/backends";
import { serverKill, serverPause } from "../faults/server-faults.ts";
import { runSource } from "../run-source.ts";
import { type Target, urlAt } from "./target.ts";

const TABLE = "dt-chaos";

/** The DynamoDB API as dynalite has it, with its data on disk. */
export async function dynamodbTarget(): Promise<Target> {
  const server = await startDynamoDb({ control: true });
  const { url, region, credentials } = server;
  const config = JSON.stringify({ endpoint: url, region, credentials, table: TABLE });
  const [code] = await once(
    runSource("targets/make-table.ts", [config], { stdio: ["ignore", "ignore", "inherit"] }),
    "exit",
  );
  if (code !== 0) {
    await server.stop();
    throw new Error(`the table was not made (exit code ${code})`);
  }
  const choose = () => server;
  return {
    servers: [server],
    address: (at) => ({ kind: "dynamodb", endpoint: urlAt(url, at), table: TABLE, region, credentials }),
    faults: [serverPause(choose), serverKill(choose)],
    losesWrites: false,
    wallClockIsStores: false,
    stop: () => server.stop(),
  };
}
