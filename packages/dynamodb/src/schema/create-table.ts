import { CreateTableCommand, DescribeTableCommand, UpdateTimeToLiveCommand } from "@aws-sdk/client-dynamodb";
import { DtError, type Duration, isDtError, type Runtime, systemRuntime } from "@dt/core";
import { checkDuration, withDeadline } from "@dt/core/ledger";
import { type DynamoDbClient, nameOf } from "../dynamodb-driver.ts";
import { toDtError } from "../errors.ts";
import { checkTable } from "../options.ts";
import { TABLE } from "./definition.ts";

/** Options of {@link createTable}. */
export interface CreateTableOptions {
  /**
   * How long to wait until the table can be used.
   * @default `"1m"`
   */
  readonly timeout?: Duration;
  /**
   * Clock and timers.
   * @default the real ones
   */
  readonly runtime?: Runtime;
}

const LOOK_EVERY_MS = 250;

/**
 * Makes the store's table, billed on demand, and waits until it can be used; a table that is there already is checked.
 * Any number of processes may do so at once. For tests, tools and first steps: in production the table belongs to your
 * templates ({@link cloudFormationTemplate}, {@link terraformResource}), and processes need no permission to make
 * tables.
 * @param client the client, connected as the store's would be
 * @param table the table's name
 * @param options how long it may take
 * @throws DtError `DT_STORE_UNSUITABLE` when a table of that name has other keys or access is denied,
 *   `DT_STORE_TIMEOUT`, `DT_INVALID_OPTION`
 * @example await createTable(new DynamoDBClient({}), "limits");
 */
export async function createTable(
  client: DynamoDbClient,
  table: string,
  { timeout = "1m", runtime = systemRuntime }: CreateTableOptions = {},
): Promise<void> {
  checkTable(table);
  const timeoutMs = checkDuration("timeout", timeout, 1);
  const what = `making the table ${table}`;
  try {
    await withDeadline((signal) => make(client, table, runtime, signal), { runtime, timeoutMs, what });
  } catch (error) {
    throw isDtError(error) ? error : toDtError(error, { what });
  }
}

async function make(client: DynamoDbClient, table: string, runtime: Runtime, signal: AbortSignal): Promise<void> {
  const { partitionKey, sortKey, timeToLive } = TABLE;
  const request = new CreateTableCommand({
    TableName: table,
    BillingMode: "PAY_PER_REQUEST",
    AttributeDefinitions: [partitionKey, sortKey].map((name) => ({ AttributeName: name, AttributeType: "S" as const })),
    KeySchema: [
      { AttributeName: partitionKey, KeyType: "HASH" },
      { AttributeName: sortKey, KeyType: "RANGE" },
    ],
  });
  // Somebody else has made it, or is making it.
  await ignoring(["ResourceInUseException"], client.send(request, { abortSignal: signal }));
  while (!(await isReady(client, table, signal))) {
    await new Promise<void>((resolve) => runtime.setTimer(resolve, LOOK_EVERY_MS));
    signal.throwIfAborted();
  }
  const expiry = new UpdateTimeToLiveCommand({
    TableName: table,
    TimeToLiveSpecification: { AttributeName: timeToLive, Enabled: true },
  });
  // Already on, or being turned on; and servers for tests may not know it: then garbage stays.
  await ignoring(["ValidationException", "UnknownOperationException"], client.send(expiry, { abortSignal: signal }));
}

async function isReady(client: DynamoDbClient, table: string, signal: AbortSignal): Promise<boolean> {
  const { Table } = await client.send(new DescribeTableCommand({ TableName: table }), { abortSignal: signal });
  const keys = (Table?.KeySchema ?? []).map(({ AttributeName, KeyType }) => {
    const type = Table?.AttributeDefinitions?.find((attribute) => attribute.AttributeName === AttributeName);
    return `${AttributeName} ${KeyType} ${type?.AttributeType}`;
  });
  const expected = `${TABLE.partitionKey} HASH S, ${TABLE.sortKey} RANGE S`;
  if (keys.join(", ") !== expected)
    throw new DtError(
      "DT_STORE_UNSUITABLE",
      `the table ${table} has the keys ${keys.join(", ")}; the store needs ${expected}: give it a table of its own`,
    );
  return Table?.TableStatus === "ACTIVE";
}

async function ignoring(names: readonly string[], request: Promise<unknown>): Promise<void> {
  try {
    await request;
  } catch (error) {
    if (!names.includes(nameOf(error))) throw error;
  }
}
