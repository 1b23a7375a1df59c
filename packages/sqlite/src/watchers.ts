import type { Bell } from "./bell.ts";

interface Watcher {
  readonly group: string;
  readonly onChange: () => void;
  state: string | undefined;
}

/** Who wants to hear of which group. Looks at the file only when the bell rings. */
export class Watchers {
  readonly #bell: Bell;
  readonly #read: (group: string) => string | undefined;
  readonly #watchers = new Set<Watcher>();

  /** `read` gives a text that differs when there is something to tell; undefined when that is not known. */
  constructor(bell: Bell, read: (group: string) => string | undefined) {
    this.#bell = bell;
    this.#read = read;
  }

  /** Tells `onChange` of every change from now on; gives the function that ends it. */
  add(group: string, onChange: () => void): () => void {
    this.#bell.listen(() => this.#look());
    const watcher: Watcher = { group, onChange, state: this.#stateOf(group) };
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
      const state = this.#stateOf(watcher.group);
      // Unknown is told too: a hint too many costs one sync, a hint too few a whole interval.
      if (state !== undefined && state === watcher.state) continue;
      watcher.state = state;
      queueMicrotask(() => {
        if (this.#watchers.has(watcher)) watcher.onChange();
      });
    }
  }

  #stateOf(group: string): string | undefined {
    try {
      return this.#read(group);
    } catch {
      // The next call meets the same error and tells its caller.
      return undefined;
    }
  }
}
