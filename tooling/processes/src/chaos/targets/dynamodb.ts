import { startDynamoDb } from "@dt-tooling/backends";
import { makeTable } from "../../make-table.ts";
import { serverKill, serverPause } from "../faults/server-faults.ts";
import { type Target, urlAt } from "./target.ts";

const TABLE = "dt-chaos";

/** The DynamoDB API as dynalite has it, with its data on disk. */
export async function dynamodbTarget(): Promise<Target> {
  const server = await startDynamoDb({ control: true });
  const { url, region, credentials } = server;
  try {
    await makeTable({ endpoint: url, region, credentials }, TABLE);
  } catch (error) {
    await server.stop();
    throw error;
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
