/** Who wants to be told of changes, by name. Told after the present work is done, never within it. */
export class Watchers {
  readonly #byName = new Map<string, Set<() => void>>();

  /** Adds a callback; the function returned takes it out again. */
  add(name: string, onChange: () => void): () => void {
    const watchers = this.#byName.get(name) ?? new Set();
    this.#byName.set(name, watchers);
    // A fresh function for each, so that one callback added twice is called twice and taken out once.
    const own = (): void => onChange();
    watchers.add(own);
    return () => {
      watchers.delete(own);
      if (watchers.size === 0 && this.#byName.get(name) === watchers) this.#byName.delete(name);
    };
  }

  notify(name: string): void {
    for (const onChange of this.#byName.get(name) ?? []) queueMicrotask(onChange);
  }

  clear(): void {
    this.#byName.clear();
  }
}
