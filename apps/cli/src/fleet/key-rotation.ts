import type { BucketRef } from "@dt/core";
import type { ReadKey } from "./judge-keyed.ts";
import { isLostCursor, type Page } from "./list-names.ts";

/** Pages that one turn takes at most for each hundred keys that it wants: pages may be empty (K13). */
const PAGES_PER_HUNDRED = 5;

interface Known {
  readonly ref: BucketRef;
  /** The pass over the list that found it last. */
  pass: number;
  read: ReadKey | undefined;
}

/**
 * The keys of a store, as a reader that looks again and again sees them. Each turn goes on in the list where the one
 * before it ended, so that all keys are seen one part after the other. What was seen stays known until a pass over the
 * whole list has not found it.
 */
export class KeyRotation {
  readonly #known = new Map<string, Known>();
  /** Keys of the last page that are still to be looked at. */
  #left: readonly BucketRef[] = [];
  #cursor: string | undefined;
  #pass = 1;

  /**
   * The next keys to look at.
   * @param page the list of keys
   * @param most how many
   */
  async next(page: Page<BucketRef>, most: number): Promise<readonly BucketRef[]> {
    const found = new Map(this.#left.map((ref) => [idOf(ref), ref]));
    const mostPages = PAGES_PER_HUNDRED * Math.ceil(most / 100);
    for (let pages = 0; pages < mostPages && found.size < most; pages++) {
      const { items, next } = await this.#page(page);
      for (const ref of items) found.set(idOf(ref), this.#meet(ref));
      this.#cursor = next;
      if (next !== undefined) continue;
      this.#endPass();
      break;
    }
    const all = [...found.values()];
    this.#left = all.slice(most);
    return all.slice(0, most);
  }

  /** Takes in what was read of a key. A key of which nothing is left is forgotten. */
  take(ref: BucketRef, read: ReadKey): void {
    const known = this.#known.get(idOf(ref));
    if (read.snapshot === undefined && read.error === undefined) this.#known.delete(idOf(ref));
    else if (known) known.read = read;
  }

  /** All keys that are known, by their limits. */
  limits(): readonly { readonly name: string; readonly count: number; readonly read: readonly ReadKey[] }[] {
    const limits = new Map<string, { name: string; count: number; read: ReadKey[] }>();
    for (const { ref, read } of this.#known.values()) {
      const limit = limits.get(ref.name) ?? { name: ref.name, count: 0, read: [] };
      limits.set(ref.name, limit);
      limit.count += 1;
      if (read) limit.read.push(read);
    }
    return [...limits.values()];
  }

  #page(page: Page<BucketRef>): ReturnType<Page<BucketRef>> {
    const cursor = this.#cursor;
    if (cursor === undefined) return page(undefined);
    return page(cursor).catch((error: unknown) => {
      if (!isLostCursor(error)) throw error;
      return page(undefined);
    });
  }

  #meet(ref: BucketRef): BucketRef {
    const known = this.#known.get(idOf(ref));
    if (known) known.pass = this.#pass;
    else this.#known.set(idOf(ref), { ref, pass: this.#pass, read: undefined });
    return ref;
  }

  #endPass(): void {
    for (const [id, { pass }] of this.#known) if (pass !== this.#pass) this.#known.delete(id);
    this.#pass += 1;
  }
}

function idOf({ name, key }: BucketRef): string {
  return JSON.stringify([name, key]);
}
