import {
  type AttributeValue,
  DeleteItemCommand,
  DynamoDBClient,
  type DynamoDBClientConfig,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
} from "@aws-sdk/client-dynamodb";
import type { Runtime } from "@dt/core";
import { withDeadline } from "@dt/core/ledger";
import type { Condition, Driver, Item, Key } from "./driver.ts";

/** A client of the package `@aws-sdk/client-dynamodb`. */
export type DynamoDbClient = DynamoDBClient;
/** Its configuration: `region`, `credentials`, `endpoint` ... */
export type DynamoDbClientConfig = DynamoDBClientConfig;

/** What a driver needs besides the client. */
export interface DriverSettings {
  readonly runtime: Runtime;
  readonly table: string;
  /** Deadline of one request, pauses after throttling included. */
  readonly timeoutMs: number;
}

type Marshalled = Record<string, AttributeValue>;
type AnyCommand = GetItemCommand | QueryCommand | ScanCommand | PutItemCommand | DeleteItemCommand;

interface HttpResult {
  readonly response?: { readonly headers?: { readonly date?: string } };
}
/**
 * Of a command's middleware, what is used here: it concerns this one request, and leaves the client as it is.
 */
type Middleware = (next: (args: unknown) => Promise<HttpResult>) => (args: unknown) => Promise<HttpResult>;
interface WithMiddleware {
  readonly middlewareStack: { add(middleware: Middleware, options: object): void };
}

/**
 * Takes the place of what sends a request again. By its defaults a client does so up to three times, after pauses of a
 * second where it was throttled, which is longer than a call may take.
 */
const once: Middleware = (next) => (args) => next(args);
const IN_PLACE_OF_RETRIES = { name: "retryMiddleware", step: "finalizeRequest", priority: "high", override: true };

/** DynamoDB says by these that it did nothing, because there was too much to do. */
const THROTTLED: ReadonlySet<string> = new Set([
  "ProvisionedThroughputExceededException",
  "RequestLimitExceeded",
  "ThrottlingException",
]);
/** Items that one part of a scan looks at: more names than that are no page (R26). DynamoDB ends it at 1 MB besides. */
const SCANNED = 1_000;

const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 200;

/** A client of our own. */
export function createClient(config: DynamoDbClientConfig): DynamoDbClient {
  return new DynamoDBClient(config);
}

/** The only file that knows the AWS SDK. */
export class DynamoDbDriver implements Driver {
  readonly #client: DynamoDbClient;
  readonly #settings: DriverSettings;
  readonly #owned: boolean;
  /**
   * How far the server's date is ahead of the monotonic clock. Good for garbage that is kept for days, and for nothing
   * else.
   */
  #serverOffsetMs: number | undefined;

  /** @param owned true when the client is to be ended with the driver */
  constructor(client: DynamoDbClient, settings: DriverSettings, owned: boolean) {
    this.#client = client;
    this.#settings = settings;
    this.#owned = owned;
  }

  async get({ pk, sk }: Key): Promise<Item | undefined> {
    const { Item: item } = await this.#send<{ Item?: Marshalled }>(
      () => new GetItemCommand({ TableName: this.#settings.table, Key: marshal({ pk, sk }), ConsistentRead: true }),
    );
    return item && unmarshal(item);
  }

  async query(pk: string): Promise<readonly Item[]> {
    const items: Item[] = [];
    let from: Marshalled | undefined;
    do {
      const start = from;
      const page = await this.#send<{ Items?: Marshalled[]; LastEvaluatedKey?: Marshalled }>(
        () =>
          new QueryCommand({
            TableName: this.#settings.table,
            ConsistentRead: true,
            KeyConditionExpression: "#pk = :pk",
            ExpressionAttributeNames: { "#pk": "pk" },
            ExpressionAttributeValues: { ":pk": { S: pk } },
            ...(start && { ExclusiveStartKey: start }),
          }),
      );
      items.push(...(page.Items ?? []).map(unmarshal));
      from = page.LastEvaluatedKey;
    } while (from);
    return items;
  }

  async scan(pkBegins: string, sk: string | undefined, from?: Key): ReturnType<Driver["scan"]> {
    const found = await this.#send<{ Items?: Marshalled[]; LastEvaluatedKey?: Marshalled }>(
      () =>
        new ScanCommand({
          TableName: this.#settings.table,
          ConsistentRead: true,
          Limit: SCANNED,
          ProjectionExpression: "#pk, #sk",
          FilterExpression: `begins_with(#pk, :pk)${sk === undefined ? "" : " AND #sk = :sk"}`,
          ExpressionAttributeNames: { "#pk": "pk", "#sk": "sk" },
          ExpressionAttributeValues: { ":pk": { S: pkBegins }, ...(sk !== undefined && { ":sk": { S: sk } }) },
          ...(from && { ExclusiveStartKey: marshal({ pk: from.pk, sk: from.sk }) }),
        }),
    );
    const { Items: items = [], LastEvaluatedKey: last } = found;
    return { keys: items.map(keyOf), ...(last && { next: keyOf(last) }) };
  }

  put(item: Key & Item, condition: Condition): Promise<boolean> {
    const request = { TableName: this.#settings.table, Item: marshal(item), ...expressionOf(condition) };
    return this.#conditional(() => new PutItemCommand(request));
  }

  delete({ pk, sk }: Key, condition: Condition): Promise<boolean> {
    const request = { TableName: this.#settings.table, Key: marshal({ pk, sk }), ...expressionOf(condition) };
    return this.#conditional(() => new DeleteItemCommand(request));
  }

  secondIn(ms: number): number | undefined {
    if (this.#serverOffsetMs === undefined) return undefined;
    return Math.ceil((this.#settings.runtime.now() + this.#serverOffsetMs + ms) / 1_000);
  }

  close(): void {
    if (this.#owned) this.#client.destroy();
  }

  async #conditional(command: () => AnyCommand): Promise<boolean> {
    try {
      await this.#send(command);
      return true;
    } catch (error) {
      if (nameOf(error) === "ConditionalCheckFailedException") return false;
      throw error;
    }
  }

  /**
   * One request; sent again, with pauses, only after DynamoDB has said that it was throttled and did nothing. For half
   * of its time: then the caller is told that, and not only that time was up.
   */
  #send<Output>(command: () => AnyCommand): Promise<Output> {
    const { runtime, timeoutMs } = this.#settings;
    const lastMs = runtime.now() + timeoutMs / 2;
    const attempt = async (signal: AbortSignal): Promise<Output> => {
      for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
        try {
          const request = command();
          const { middlewareStack } = request as unknown as WithMiddleware;
          middlewareStack.add(this.#noteDate, { step: "deserialize" });
          middlewareStack.add(once, IN_PLACE_OF_RETRIES);
          return (await this.#client.send(request as GetItemCommand, { abortSignal: signal })) as Output;
        } catch (error) {
          if (!THROTTLED.has(nameOf(error)) || signal.aborted || runtime.now() + pauseMs > lastMs) throw error;
          await new Promise<void>((resolve) => runtime.setTimer(resolve, pauseMs * (0.5 + runtime.random() / 2)));
          signal.throwIfAborted();
        }
      }
    };
    return withDeadline(attempt, { runtime, timeoutMs, what: "the request to DynamoDB" });
  }

  readonly #noteDate: Middleware = (next) => async (args) => {
    const result = await next(args);
    const { date = "" } = result.response?.headers ?? {};
    const serverMs = Date.parse(date);
    if (Number.isFinite(serverMs)) this.#serverOffsetMs = serverMs - this.#settings.runtime.now();
    return result;
  };
}

/** The table's keys are texts. */
function keyOf({ pk, sk }: Marshalled): Key {
  return { pk: pk?.S ?? "", sk: sk?.S ?? "" };
}

export function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : "";
}

function expressionOf(condition: Condition): object {
  const terms: string[] = [];
  const names: Record<string, string> = {};
  const values: Marshalled = {};
  for (const [attribute, requirement] of Object.entries(condition)) {
    const [name, value] = [`#${attribute}`, `:${attribute}`];
    names[name] = attribute;
    if ("exists" in requirement)
      terms.push(`${requirement.exists ? "attribute_exists" : "attribute_not_exists"}(${name})`);
    else if ("equals" in requirement) {
      values[value] = marshalValue(requirement.equals);
      terms.push(`${name} = ${value}`);
    } else {
      values[value] = marshalValue(requirement.below);
      const below = `${name} < ${value}`;
      terms.push(requirement.orAbsent ? `(attribute_not_exists(${name}) OR ${below})` : below);
    }
  }
  if (terms.length === 0) return {};
  return {
    ConditionExpression: terms.join(" AND "),
    ExpressionAttributeNames: names,
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
  };
}

function marshal(item: Item): Marshalled {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, marshalValue(value)]));
}

function marshalValue(value: string | number | boolean): AttributeValue {
  if (typeof value === "string") return { S: value };
  return typeof value === "number" ? { N: String(value) } : { BOOL: value };
}

/** Attributes of other kinds, which the store never writes, are left out. */
function unmarshal(item: Marshalled): Item {
  const result: Record<string, string | number | boolean> = {};
  for (const [name, { S, N, BOOL }] of Object.entries(item)) {
    if (S !== undefined) result[name] = S;
    else if (N !== undefined) result[name] = Number(N);
    else if (BOOL !== undefined) result[name] = BOOL;
  }
  return result;
}
