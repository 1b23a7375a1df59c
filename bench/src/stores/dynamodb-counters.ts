import { DynamoDBClient, type DynamoDBClientConfig } from "@aws-sdk/client-dynamodb";
import type { Counters } from "./bench-store.ts";

interface Output {
  readonly ConsumedCapacity?: { readonly CapacityUnits?: number };
}

/** A client that asks with every request what it consumes, and adds up what the server says. */
export function countingClient(config: DynamoDBClientConfig): { client: DynamoDBClient; spent: () => Counters } {
  const client = new DynamoDBClient(config);
  const spent = { requests: 0, "read units": 0, "write units": 0, "writes refused": 0 };
  client.middlewareStack.add(
    (next, { commandName = "" }) =>
      async (args) => {
        const isWrite = commandName === "PutItemCommand" || commandName === "DeleteItemCommand";
        const isRead = commandName === "GetItemCommand" || commandName === "QueryCommand";
        if (!isWrite && !isRead) return next(args);
        spent.requests += 1;
        Object.assign(args.input, { ReturnConsumedCapacity: "TOTAL" });
        try {
          const result = await next(args);
          const { ConsumedCapacity: capacity } = result.output as Output;
          spent[isWrite ? "write units" : "read units"] += capacity?.CapacityUnits ?? 0;
          return result;
        } catch (error) {
          if ((error as Error).name === "ConditionalCheckFailedException") spent["writes refused"] += 1;
          throw error;
        }
      },
    { step: "initialize" },
  );
  return { client, spent: () => ({ ...spent }) };
}
