import { DamagedData, type Head, type HeadStore, type StoredHead } from "@dt/cas";
import type { GroupItems, HeadRevision } from "./group-items.ts";

/** The head of a group, in the item that is its own. */
export class DynamoDbHeadStore implements HeadStore<HeadRevision> {
  readonly #items: GroupItems;

  constructor(items: GroupItems) {
    this.#items = items;
  }

  /** None when it is damaged: whoever asks then goes by the ledger, and mends it there. */
  async read(): Promise<StoredHead<HeadRevision> | undefined> {
    try {
      return await this.#items.readHead();
    } catch (error) {
      if (error instanceof DamagedData) return undefined;
      throw error;
    }
  }

  async replace(seen: HeadRevision, head: Head): Promise<StoredHead<HeadRevision> | undefined> {
    if (await this.#items.replaceHead(seen, head))
      return { head, revision: { version: seen.version, timeMs: head.timeMs } };
    return this.read();
  }
}
