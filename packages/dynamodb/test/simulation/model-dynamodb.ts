import type { CoordinationStore } from "@dt/core";
import { Store } from "@dt/core/store";
import type { Host, Network, ServerModel, Timeline } from "@dt-tooling/simulator/hybrid";
import type { Random } from "@dt-tooling/simulator/random";
import { backendOn } from "../../src/backend.ts";
import type { Condition, Driver, Item, Key } from "../../src/driver.ts";

const DEADLINE_MS = 1_000;
/** How often a client's request reaches the table twice. */
const SENT_TWICE = 0.03;

/**
 * A DynamoDB table as far as the store can see it: items, and writes on conditions. What goes wrong: it does not answer
 * for a while.
 */
export class ModelDynamoDb implements ServerModel {
  readonly #timeline: Timeline;
  readonly #random: Random;
  /** Every item, for tests that do what people do to a table. */
  readonly items = new Map<string, Key & Item>();
  #down = false;

  constructor(timeline: Timeline, random: Random) {
    this.#timeline = timeline;
    this.#random = random;
  }

  connect(host: Host, network: Network): CoordinationStore {
    const driver = this.#driver(network);
    const context = { driver, runtime: host, timeoutMs: DEADLINE_MS, client: host.name };
    return new Store(backendOn(context, "dt"));
  }

  disturb(random: Random): void {
    this.#down = true;
    this.#timeline.after(random.between(200, 9_000), () => {
      this.#down = false;
    });
  }

  heal(): void {
    this.#down = false;
  }

  /** Deletes the items of these sort keys, as somebody does by hand. */
  remove(isWanted: (item: Key & Item) => boolean): number {
    const found = [...this.items].filter(([, item]) => isWanted(item));
    for (const [name] of found) this.items.delete(name);
    return found.length;
  }

  #driver(network: Network): Driver {
    const call = <T>(request: () => T): Promise<T> =>
      network.call(() => {
        if (this.#down) throw new Error("InternalServerError");
        if (this.#random.chance(SENT_TWICE)) request();
        return request();
      }, DEADLINE_MS);
    return {
      get: (key) => call(() => this.items.get(nameOf(key))),
      scan: () => Promise.reject(new Error("the model has no scan")),
      query: (pk) => call(() => [...this.items.values()].filter((item) => item.pk === pk)),
      put: (item, condition) =>
        call(() => {
          const holds = this.#holds(item, condition);
          if (holds) this.items.set(nameOf(item), { ...item });
          return holds;
        }),
      delete: (key, condition) =>
        call(() => {
          const holds = this.#holds(key, condition);
          if (holds) this.items.delete(nameOf(key));
          return holds;
        }),
      secondIn: () => undefined,
      close: () => {},
    };
  }

  #holds(key: Key, condition: Condition): boolean {
    const item = this.items.get(nameOf(key));
    return Object.entries(condition).every(([attribute, requirement]) => {
      const value = item?.[attribute];
      if ("exists" in requirement) return (value !== undefined) === requirement.exists;
      if ("equals" in requirement) return value === requirement.equals;
      return value === undefined ? requirement.orAbsent === true : (value as number) < requirement.below;
    });
  }
}

function nameOf({ pk, sk }: Key): string {
  return JSON.stringify([pk, sk]);
}
