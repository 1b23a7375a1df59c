/**
 * Values by name, of which those that say nothing any more are forgotten: two are looked at whenever one is new, so
 * that there are never many more than those in use.
 */
export class ForgettingMap<Value> {
  readonly #values = new Map<string, Value>();
  readonly #isOver: (value: Value) => boolean;
  #next: MapIterator<[string, Value]>;

  /** @param isOver true when nobody can tell a new value from this one */
  constructor(isOver: (value: Value) => boolean) {
    this.#isOver = isOver;
    this.#next = this.#values.entries();
  }

  get size(): number {
    return this.#values.size;
  }

  get(name: string): Value | undefined {
    return this.#values.get(name);
  }

  names(): readonly string[] {
    return [...this.#values.keys()];
  }

  set(name: string, value: Value): void {
    if (!this.#values.has(name)) this.#look(2);
    this.#values.set(name, value);
  }

  clear(): void {
    this.#values.clear();
  }

  #look(count: number): void {
    for (let i = 0; i < count; i++) {
      const { done, value: entry } = this.#next.next();
      if (done) {
        this.#next = this.#values.entries();
        return;
      }
      if (this.#isOver(entry[1])) this.#values.delete(entry[0]);
    }
  }
}
