import { DynamoDBClient, type DynamoDBClientConfig } from "@aws-sdk/client-dynamodb";

/** Requests by command, and the capacity units that the server says they took together. */
type Spent = Readonly<Record<string, number>>;

/** A client that counts. */
export function countingClient(config: DynamoDBClientConfig): { client: DynamoDBClient; spent: () => Spent } {
  const client = new DynamoDBClient(config);
  const requests: Record<string, number> = {};
  let units = 0;
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const { commandName = "" } = context;
      requests[commandName] = (requests[commandName] ?? 0) + 1;
      Object.assign(args.input, { ReturnConsumedCapacity: "TOTAL" });
      const result = await next(args);
      const { ConsumedCapacity: capacity } = result.output as { ConsumedCapacity?: { CapacityUnits?: number } };
      units += capacity?.CapacityUnits ?? 0;
      return result;
    },
    { step: "initialize" },
  );
  return { client, spent: () => ({ ...requests, units }) };
}

/** What was spent between two counts; nothing where there is no difference. */
export function minus(after: Spent, before: Spent): Spent {
  const differences = Object.entries(after).map(([what, count]) => [what, count - (before[what] ?? 0)] as const);
  return Object.fromEntries(differences.filter(([, difference]) => difference !== 0));
}
