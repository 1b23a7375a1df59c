import type { Bell } from "./bell.ts";

interface Watcher {
  /** Gives a text that differs when there is something to tell; undefined when that is not known. */
  readonly read: () => string | undefined;
  readonly onChange: () => void;
  state: string | undefined;
}

/** Who wants to hear of which group or key. Looks at the file only when the bell rings. */
export class Watchers {
  readonly #bell: Bell;
  readonly #watchers = new Set<Watcher>();

  constructor(bell: Bell) {
    this.#bell = bell;
  }

  /**
   * Tells `onChange` of every change from now on; gives the function that ends it.
   * @param read gives a text that differs when there is something to tell; undefined when that is not known
   */
  add(read: () => string | undefined, onChange: () => void): () => void {
    this.#bell.listen(() => this.#look());
    const watcher: Watcher = { read, onChange, state: stateOf(read) };
    this.#watchers.add(watcher);
    return () => {
      this.#watchers.delete(watcher);
      if (this.#watchers.size === 0) this.#bell.mute();
    };
  }

  clear(): void {
    this.#watchers.clear();
    this.#bell.mute();
  }

  #look(): void {
    for (const watcher of this.#watchers) {
      const state = stateOf(watcher.read);
      // Unknown is told too: a hint too many costs one sync, a hint too few a whole interval.
      if (state !== undefined && state === watcher.state) continue;
      watcher.state = state;
      queueMicrotask(() => {
        if (this.#watchers.has(watcher)) watcher.onChange();
      });
    }
  }
}

function stateOf(read: () => string | undefined): string | undefined {
  try {
    return read();
  } catch {
    // The next call meets the same error and tells its caller.
    return undefined;
  }
}
