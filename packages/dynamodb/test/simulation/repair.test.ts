import { testRepairUnderFleet } from "@dt-tooling/simulator/hybrid";
import { ModelDynamoDb } from "./model-dynamodb.ts";

function items(what: string, names: readonly string[]): readonly [string, (server: ModelDynamoDb) => void] {
  return [what, (server) => server.remove(({ sk }) => names.includes(sk))];
}

testRepairUnderFleet({
  model: (timeline, random) => new ModelDynamoDb(timeline, random),
  deletions: [
    items("the ledger", ["ledger"]),
    items("the head", ["head"]),
    items("ledger and head", ["ledger", "head"]),
  ],
});
