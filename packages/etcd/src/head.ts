import {
  DamagedData,
  decodeHead as decode,
  encodeHead as encode,
  type Head,
  type HeadStore,
  lagLimitMs,
  type StoredHead,
} from "@dt/cas";
import type { Driver, Entry } from "./driver.ts";
import { open } from "./stored.ts";

/**
 * The most that may pass between keeping a lease alive and the reading of the time that is answered; then it is kept
 * alive once more.
 */
export function slackMs(head: Pick<Head, "quietLimitMs">): number {
  return lagLimitMs(head) / 8;
}

export function encodeHead(head: Head): string {
  return JSON.stringify(encode(head));
}

/** @throws DtError `DT_STORE_DATA` */
export function decodeHead(key: string, value: string): Head {
  const { stored, where } = open(key, value);
  return decode(stored, where);
}

/** An entry as a head with the revision that it was written in. */
export function storedHead(entry: Entry | undefined): StoredHead<string> | undefined {
  return entry && { head: decodeHead(entry.key, entry.value), revision: entry.revision };
}

/** The same; none when it is damaged: whoever asks then goes by the ledger, and mends it there. */
function soundHead(entry: Entry | undefined): StoredHead<string> | undefined {
  try {
    return storedHead(entry);
  } catch (error) {
    if (error instanceof DamagedData) return undefined;
    throw error;
  }
}

/** The head of a group, in the key that is its own. */
export class EtcdHeadStore implements HeadStore<string> {
  readonly #driver: Driver;
  readonly #key: string;

  constructor(driver: Driver, key: string) {
    this.#driver = driver;
    this.#key = key;
  }

  async read(): Promise<StoredHead<string> | undefined> {
    return soundHead((await this.#driver.read([this.#key])).get(this.#key));
  }

  async replace(seen: string, head: Head): Promise<StoredHead<string> | undefined> {
    const outcome = await this.#driver.commit({
      unchanged: new Map([[this.#key, seen]]),
      // In a group that everybody left it is on a lease, as all of its keys, and disappears with them.
      puts: [{ key: this.#key, value: encodeHead(head), keepsLease: true }],
      deletes: [],
      otherwise: [this.#key],
    });
    return outcome.done ? { head, revision: outcome.revision } : soundHead(outcome.found.get(this.#key));
  }
}
