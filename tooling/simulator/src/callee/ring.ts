/** First in, first out: whole numbers in a typed array that grows. */
export class Ring {
  #items = new Int32Array(256);
  #head = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  push(item: number): void {
    if (this.#size === this.#items.length) this.#grow();
    this.#items[(this.#head + this.#size++) & (this.#items.length - 1)] = item;
  }

  /** The first one; there must be one. */
  first(): number {
    return this.#items[this.#head] as number;
  }

  /** The one after the first; there must be two. */
  second(): number {
    return this.#items[(this.#head + 1) & (this.#items.length - 1)] as number;
  }

  shift(): number {
    const first = this.first();
    this.#head = (this.#head + 1) & (this.#items.length - 1);
    this.#size -= 1;
    return first;
  }

  #grow(): void {
    const items = new Int32Array(2 * this.#items.length);
    for (let i = 0; i < this.#size; i++) items[i] = this.#items[(this.#head + i) & (this.#items.length - 1)] as number;
    this.#items = items;
    this.#head = 0;
  }
}
