import type { Entries, Put } from "./driver.ts";

/** What is thrown when a key is asked for that was not read: read it too, and begin again. */
export class NotRead {
  readonly key: string;
  constructor(key: string) {
    this.key = key;
  }
}

interface Cell {
  /** Undefined: the key does not exist, or no longer. */
  readonly value: string | undefined;
  readonly lease?: string;
}

/** Keys as they were read at one revision, with changes kept aside until they are written together. */
export class Cells {
  readonly #read: ReadonlySet<string>;
  readonly #entries: Entries;
  readonly #changed = new Map<string, Cell>();

  /** @param read the keys that were read; those of them without an entry do not exist */
  constructor(read: ReadonlySet<string>, entries: Entries) {
    this.#read = read;
    this.#entries = entries;
  }

  /** Keys that were changed. */
  get changed(): Iterable<string> {
    return this.#changed.keys();
  }

  /**
   * The value now, with the changes.
   * @throws NotRead
   */
  get(key: string): string | undefined {
    const changed = this.#changed.get(key);
    if (changed) return changed.value;
    if (!this.#read.has(key)) throw new NotRead(key);
    return this.#entries.get(key)?.value;
  }

  /** The value that was read. */
  before(key: string): string | undefined {
    return this.#entries.get(key)?.value;
  }

  put(key: string, value: string, lease?: string): void {
    this.#changed.set(key, lease === undefined ? { value } : { value, lease });
  }

  delete(key: string): void {
    this.#changed.set(key, { value: undefined });
  }

  /** The writes that the changes amount to. */
  writes(): { readonly puts: readonly Put[]; readonly deletes: readonly string[] } {
    const puts: Put[] = [];
    const deletes: string[] = [];
    for (const [key, { value, lease }] of this.#changed) {
      if (value !== undefined) puts.push({ key, value, lease });
      else if (this.#entries.has(key) || !this.#read.has(key)) deletes.push(key);
    }
    return { puts, deletes };
  }
}
