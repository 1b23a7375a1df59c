import { DynamoDBClient, type DynamoDBClientConfig } from "@aws-sdk/client-dynamodb";
import { systemRuntime } from "@dt/core";
import { Store } from "@dt/core/store";
import { backendOn } from "../../src/backend.ts";
import type { Condition, Driver, Item, Key } from "../../src/driver.ts";
import { DynamoDbDriver } from "../../src/dynamodb-driver.ts";

const TIMEOUT_MS = 2_000;

/** A driver on a real server that does to writes of all but heartbeats and heads what networks do. */
export class FaultyDriver implements Driver {
  /** What happens to the next of these writes, instead of being sent and answered. */
  next: ((send: () => Promise<boolean>, item: Key & Item) => Promise<boolean>) | undefined;
  readonly #driver: DynamoDbDriver;

  constructor(config: DynamoDBClientConfig, table: string) {
    const use = { runtime: systemRuntime, table, timeoutMs: TIMEOUT_MS };
    this.#driver = new DynamoDbDriver(new DynamoDBClient({ ...config, maxAttempts: 1 }), use, true);
  }

  put(item: Key & Item, condition: Condition): Promise<boolean> {
    const send = (): Promise<boolean> => this.#driver.put(item, condition);
    const { next } = this;
    if (!next || item.sk === "head" || item.pk.startsWith("dt#beats#")) return send();
    this.next = undefined;
    return next(send, item);
  }

  /** The next of them is carried out, and its answer lost. */
  loseAnswer(): void {
    this.next = async (send) => {
      await send();
      throw new Error("socket hang up");
    };
  }

  get: Driver["get"] = (key) => this.#driver.get(key);
  query: Driver["query"] = (pk) => this.#driver.query(pk);
  scan: Driver["scan"] = (...asked) => this.#driver.scan(...asked);
  delete: Driver["delete"] = (key, condition) => this.#driver.delete(key, condition);
  secondIn: Driver["secondIn"] = (ms) => this.#driver.secondIn(ms);
  close(): void {
    this.#driver.close();
  }
}

/** A store on a driver. */
export function storeOn(driver: Driver): Store {
  const client = `client-${Math.random()}`;
  return new Store(backendOn({ driver, runtime: systemRuntime, timeoutMs: TIMEOUT_MS, client }, "dt"));
}
