import type { DocumentCell, Replaced, StoredDocument } from "@dt/cas";
import type { Driver, Key } from "../driver.ts";

/** An item that nobody of this store has written has no writer. */
const NO_WRITER = "";

/** A document in one item, exchanged on condition that its last writer is the one that was read. */
export class DynamoDbDocumentCell implements DocumentCell {
  readonly name: string;
  readonly #driver: Driver;
  readonly #key: Key;
  readonly #keepMs: number;
  readonly #nextWriter: () => string;

  /**
   * @param keepMs how long the item is kept beyond the time for which it means something, in milliseconds
   * @param nextWriter a text that no other write will ever bear: an item that has expired and begins anew is not taken
   *   for the old one
   */
  constructor(driver: Driver, key: Key, keepMs: number, nextWriter: () => string) {
    this.name = `DynamoDB item ${key.pk} / ${key.sk}`;
    this.#driver = driver;
    this.#key = key;
    this.#keepMs = keepMs;
    this.#nextWriter = nextWriter;
  }

  async read(): Promise<StoredDocument | undefined> {
    const item = await this.#driver.get(this.#key);
    if (!item) return undefined;
    const { text, writer } = item;
    // What is not this store's is read as nothing, which is refused by whoever decodes it, and can be replaced by a
    // reset.
    return { text: typeof text === "string" ? text : "", revision: typeof writer === "string" ? writer : NO_WRITER };
  }

  async replace(from: string | undefined, text: string, keepMs: number): Promise<Replaced> {
    const writer = this.#nextWriter();
    const expires = Number.isFinite(keepMs) ? this.#driver.secondIn(keepMs + this.#keepMs) : undefined;
    const item = { ...this.#key, text, writer, ...(expires !== undefined && { expires }) };
    const condition = { writer: from === undefined || from === NO_WRITER ? { exists: false } : { equals: from } };
    if (await this.#driver.put(item, condition)) return { done: true, revision: writer };
    return { done: false, look: () => this.read() };
  }
}
