import { KeyRotation } from "./key-rotation.ts";
import type { Named } from "./list-names.ts";

/** A list is made anew when ten times as long has passed as it took, so that lists take a tenth of the time at most. */
const PATIENCE = 10;

/**
 * What a reader remembers that makes a report every second, such as the console: the names, which are listed anew now
 * and then, and the keys of keyed limits, of which it looks at others each time.
 */
export class FleetMemory {
  readonly keys: KeyRotation = new KeyRotation();
  #names: readonly Named[] = [];
  #listAgainAtMs = 0;

  /** The names, from a list that is not older than ten times the time that it took. */
  async names(list: () => Promise<readonly Named[]>): Promise<readonly Named[]> {
    const startMs = performance.now();
    if (startMs < this.#listAgainAtMs) return this.#names;
    this.#names = await list();
    const endMs = performance.now();
    this.#listAgainAtMs = endMs + PATIENCE * (endMs - startMs);
    return this.#names;
  }
}
