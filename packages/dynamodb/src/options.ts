import type { Duration, Runtime } from "@dt/core";
import { invalidOption, option, settingsOf, type TableOf } from "@dt/core/internal";
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
  /**
   * A `DynamoDBClient` of yours, which stays yours: the store neither changes nor ends it.
   * @default none
   */
  readonly client?: DynamoDbClient;
  /**
   * Configuration of a client that the store makes: `region`, `credentials`, `endpoint` ...
   * @default none
   */
  readonly config?: DynamoDbClientConfig;
  /**
   * What the partition keys begin with. Without `#`.
   * @default `"dt"`
   */
  readonly prefix?: string;
  /**
   * Deadline of every call, connecting included.
   * @default `"1s"`
   */
  readonly timeout?: Duration;
  /**
   * Clock, timers and randomness.
   * @default the real ones
   */
  readonly runtime?: Runtime;
}

const STORE = {
  table: option.checked((_, table) => checkTable(table)),
  client: option.having<DynamoDbClient>(["send"], "give a DynamoDBClient of @aws-sdk/client-dynamodb").optional,
  config: option.checked(checkConfig).optional,
  prefix: option.checked((_, prefix) => checkPrefix(prefix)).or("dt"),
  timeout: option.driverTimeout.or("1s"),
  runtime: option.runtime,
} satisfies TableOf<DynamoDbStoreOptions>;

/** Options, checked. */
export interface DynamoDbStoreSettings {
  readonly driver: Driver;
  readonly prefix: string;
  readonly timeoutMs: number;
  readonly runtime: Runtime;
}

/** @throws DtError `DT_INVALID_OPTION` */
export function checkDynamoDbStoreOptions(options: DynamoDbStoreOptions): DynamoDbStoreSettings {
  const { client, config, prefix, ...settings } = settingsOf(STORE, options);
  if (client !== undefined && config !== undefined)
    throw invalidOption("config", config, "leave it out: the client handed in has its own");
  const driver =
    client === undefined
      ? new DynamoDbDriver(createClient(config ?? {}), settings, true)
      : new DynamoDbDriver(client, settings, false);
  return { driver, prefix, timeoutMs: settings.timeoutMs, runtime: settings.runtime };
}

/** @throws DtError `DT_INVALID_OPTION` */
export function checkTable(table: unknown): string {
  // A name, or the table's ARN.
  if (typeof table === "string" && /^(arn:[\w:./-]+|[\w.-]{3,255})$/.test(table)) return table;
  throw invalidOption("table", table, "give the table's name: 3 to 255 letters, digits, _ . or -; or its ARN");
}

function checkConfig(name: string, config: unknown): DynamoDbClientConfig {
  if (typeof config === "object" && config !== null) return config;
  throw invalidOption(name, config, 'give options of DynamoDBClient, such as { region: "eu-central-1" }');
}
