import { decodePermits } from "@dt/cas";
import type { KeyListener } from "../key-watch.ts";

/**
 * Hears every version of a key's permits, and calls back when instants were given back since the one before. Hints
 * only.
 */
export class PermitListener implements KeyListener {
  readonly #key: string;
  readonly #onFreed: () => void;
  #releases: number | undefined;

  constructor(key: string, onFreed: () => void) {
    this.#key = key;
    this.#onFreed = onFreed;
  }

  heard(value: string | undefined): void {
    const releases = value === undefined ? undefined : this.#releasesIn(value);
    if (releases !== this.#releases) this.#onFreed();
    this.#releases = releases;
  }

  resumed(): void {
    this.#onFreed();
  }

  #releasesIn(value: string): number | undefined {
    try {
      return decodePermits(value, this.#key).use.releases;
    } catch {
      // Whoever reserves next is told what is wrong with it.
      return undefined;
    }
  }
}
