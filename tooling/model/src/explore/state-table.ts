const CHUNK = 1 << 26;

/** Numbers in the order they were added, outside the heap. */
class Numbers<A extends Int32Array | Uint16Array | Float64Array> {
  #values: A;
  readonly #make: (size: number) => A;
  length = 0;

  constructor(make: (size: number) => A) {
    this.#make = make;
    this.#values = make(1 << 16);
  }

  push(value: number): void {
    if (this.length === this.#values.length) {
      const larger = this.#make(this.length * 2);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.length++] = value;
  }

  at(index: number): number {
    return this.#values[index] as number;
  }
}

/**
 * Every state seen, whole (no state is mistaken for another by its hash), with the state it was first reached from and
 * by which step. Kept outside the heap: an open-addressing table over an arena of bytes.
 */
export class StateTable {
  readonly #chunks: Uint8Array[] = [];
  readonly #offsets = new Numbers((size) => new Float64Array(size));
  readonly #hashes = new Numbers((size) => new Int32Array(size));
  readonly #parents = new Numbers((size) => new Int32Array(size));
  readonly #steps = new Numbers((size) => new Uint16Array(size));
  #slots = new Int32Array(1 << 17);
  #end = 0;

  get size(): number {
    return this.#parents.length;
  }

  /**
   * Adds a state and returns its index, or -1 when it is known. `parent` is -1 for a first state; `step` is the step's
   * place among those of the parent.
   */
  add(state: Uint8Array, parent: number, step: number): number {
    const hash = hashOf(state);
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (let index = this.#slots[slot] as number; index !== 0; index = this.#slots[slot] as number) {
      if (this.#hashes.at(index - 1) === hash && this.#equals(index - 1, state)) return -1;
      slot = (slot + 1) & mask;
    }
    const index = this.size;
    this.#slots[slot] = index + 1;
    this.#offsets.push(this.#append(state));
    this.#hashes.push(hash);
    this.#parents.push(parent);
    this.#steps.push(step);
    if (index * 2 > this.#slots.length) this.#grow();
    return index;
  }

  /** The state's bytes, valid for as long as the table. */
  at(index: number): Uint8Array {
    const offset = this.#offsets.at(index);
    const chunk = this.#chunks[Math.floor(offset / CHUNK)] as Uint8Array;
    const start = offset % CHUNK;
    return chunk.subarray(start + 1, start + 1 + (chunk[start] as number));
  }

  parentOf(index: number): number {
    return this.#parents.at(index);
  }

  stepTo(index: number): number {
    return this.#steps.at(index);
  }

  #equals(index: number, state: Uint8Array): boolean {
    const offset = this.#offsets.at(index);
    const chunk = this.#chunks[Math.floor(offset / CHUNK)] as Uint8Array;
    const start = offset % CHUNK;
    if (chunk[start] !== state.length) return false;
    for (let at = 0; at < state.length; at++) if (chunk[start + 1 + at] !== state[at]) return false;
    return true;
  }

  #append(state: Uint8Array): number {
    if (state.length > 255) throw new RangeError(`a state of ${state.length} bytes is too long; use smaller bounds`);
    const room = this.#chunks.length * CHUNK - this.#end;
    if (room < state.length + 1) {
      this.#end = this.#chunks.length * CHUNK;
      this.#chunks.push(new Uint8Array(CHUNK));
    }
    const offset = this.#end;
    const chunk = this.#chunks[this.#chunks.length - 1] as Uint8Array;
    chunk[offset % CHUNK] = state.length;
    chunk.set(state, (offset % CHUNK) + 1);
    this.#end += state.length + 1;
    return offset;
  }

  #grow(): void {
    const slots = new Int32Array(this.#slots.length * 2);
    const mask = slots.length - 1;
    for (let index = 0; index < this.size; index++) {
      let slot = this.#hashes.at(index) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = index + 1;
    }
    this.#slots = slots;
  }
}

/** FNV-1a, mixed once more so that the low bits depend on all of it. */
function hashOf(state: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < state.length; at++) hash = Math.imul(hash ^ (state[at] as number), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return (hash ^ (hash >>> 13)) | 0;
}
