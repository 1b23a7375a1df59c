import { type Duration, type Runtime, systemRuntime } from "@dt/core";
import { checkDriverTimeout, checkKeys, checkRuntime, invalidOption } from "@dt/core/ledger";
import type { Driver } from "./driver.ts";
import { createClient, type DynamoDbClient, type DynamoDbClientConfig, DynamoDbDriver } from "./dynamodb-driver.ts";
import { checkPrefix } from "./keys.ts";

/**
 * Options of {@link dynamodbStore}. At most one of `client` and `config`; without either, region and credentials come
 * from the environment.
 */
export interface DynamoDbStoreOptions {
  /** The table's name. */
  readonly table: string;
  /** A `DynamoDBClient` of yours, which stays yours: the store neither changes nor ends it. */
  readonly client?: DynamoDbClient;
  /** Configuration of a client that the store makes: `region`, `credentials`, `endpoint` ... */
  readonly config?: DynamoDbClientConfig;
  /** What the partition keys begin with. Default `"dt"`. Without `#`. */
  readonly prefix?: string;
  /** Deadline of every call, connecting included. Default `"1s"`. */
  readonly timeout?: Duration;
  /** Clock, timers and randomness. Default: the real ones. */
  readonly runtime?: Runtime;
}

const KNOWN: ReadonlySet<string> = new Set<keyof DynamoDbStoreOptions>([
  ...(["table", "client", "config", "prefix", "timeout", "runtime"] as const),
]);

/** Options, checked. */
export interface DynamoDbStoreSettings {
  readonly driver: Driver;
  readonly prefix: string;
  readonly timeoutMs: number;
  readonly runtime: Runtime;
}

/** @throws DtError `DT_INVALID_OPTION` */
export function checkOptions(options: DynamoDbStoreOptions): DynamoDbStoreSettings {
  if (typeof options !== "object" || options === null)
    throw invalidOption("options", options, 'give an object such as { table: "throttle" }');
  checkKeys("options", options, KNOWN);
  const { client, config } = options;
  const runtime = checkRuntime(options.runtime ?? systemRuntime);
  const table = checkTable(options.table);
  const timeoutMs = checkDriverTimeout("timeout", options.timeout ?? "1s");
  const prefix = checkPrefix(options.prefix ?? "dt");
  if (client !== undefined && config !== undefined)
    throw invalidOption("config", config, "leave it out: the client handed in has its own");
  if (config !== undefined && (typeof config !== "object" || config === null))
    throw invalidOption("config", config, 'give options of DynamoDBClient, such as { region: "eu-central-1" }');
  const use = { runtime, table, timeoutMs };
  const driver =
    client === undefined
      ? new DynamoDbDriver(createClient(config ?? {}), use, true)
      : new DynamoDbDriver(checkClient(client), use, false);
  return { driver, prefix, timeoutMs, runtime };
}

/** @throws DtError `DT_INVALID_OPTION` */
export function checkTable(table: unknown): string {
  // A name, or the table's ARN.
  if (typeof table === "string" && /^(arn:[\w:./-]+|[\w.-]{3,255})$/.test(table)) return table;
  throw invalidOption("table", table, "give the table's name: 3 to 255 letters, digits, _ . or -; or its ARN");
}

function checkClient(client: DynamoDbClient): DynamoDbClient {
  if (typeof client === "object" && client !== null && typeof client.send === "function") return client;
  throw invalidOption("client", client, "give a DynamoDBClient of @aws-sdk/client-dynamodb");
}
