import type { Head } from "@dt/cas";
import { decodeHead } from "./head.ts";
import type { KeyListener } from "./key-watch.ts";

/**
 * Hears every version of a group's head, and tells apart which ones are news. Hints only: what was missed is made up
 * for by one hint.
 */
export class HeadListener implements KeyListener {
  readonly #key: string;
  readonly #onHead: (head: Head) => void;
  readonly #onChange: () => void;
  #last: Pick<Head, "generation" | "agreed"> | undefined;

  /**
   * @param onHead hears every head, also when only the time in it has changed
   * @param onChange hears that the generation changed or an agreement was reached
   */
  constructor(key: string, onHead: (head: Head) => void, onChange: () => void) {
    this.#key = key;
    this.#onHead = onHead;
    this.#onChange = onChange;
  }

  heard(value: string | undefined): void {
    const before = this.#last;
    const head = value === undefined ? undefined : this.#decode(value);
    this.#last = head;
    if (head) this.#onHead(head);
    if (head?.generation !== before?.generation || (head?.agreed && !before?.agreed)) this.#onChange();
  }

  resumed(): void {
    this.#onChange();
  }

  #decode(value: string): Head | undefined {
    try {
      return decodeHead(this.#key, value);
    } catch {
      // Whoever syncs next is told what is wrong with it.
      return undefined;
    }
  }
}
