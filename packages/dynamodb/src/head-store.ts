import type { Head, HeadStore, StoredHead } from "@dt/core/cas";
import type { GroupItems, HeadRevision } from "./group-items.ts";

/** The head of a group, in the item that is its own. */
export class DynamoDbHeadStore implements HeadStore<HeadRevision> {
  readonly #items: GroupItems;

  constructor(items: GroupItems) {
    this.#items = items;
  }

  read(): Promise<StoredHead<HeadRevision> | undefined> {
    return this.#items.readHead();
  }

  async replace(seen: HeadRevision, head: Head): Promise<StoredHead<HeadRevision> | undefined> {
    if (await this.#items.replaceHead(seen, head))
      return { head, revision: { version: seen.version, timeMs: head.timeMs } };
    return this.#items.readHead();
  }
}
