/** A place in an input. */
export interface Position {
  /** Records that come before. */
  readonly records: number;
  /** Bytes that come before; 0 where they are not counted. */
  readonly bytes: number;
}

export const BEGINNING: Position = { records: 0, bytes: 0 };

/** How far a part of an input was done. Its records are numbered from 0 in the order in which they are read. */
export interface Done {
  /** Where to begin to read again. */
  readonly position: Position;
  /** The number of the record that begins there: everything before it has ended. */
  readonly first: number;
  /** The first number that was not read. */
  readonly next: number;
  /** The records from `first` to `next` that have not ended, ascending. */
  readonly pending: readonly number[];
}

export const NOTHING: Done = { position: BEGINNING, first: 0, next: 0, pending: [] };

/**
 * Which records have ended, in however many runs. It knows the few that have not, since records end nearly in the order
 * in which they are read; so a single slow one costs no memory, and nothing behind it is done twice.
 */
export class Progress {
  /** Those of an earlier run that had not ended and were not read again so far, ascending. */
  readonly #left: Set<number>;
  readonly #earlier: number;
  /** Those under way, by their index in this run, in the order in which they were read. */
  readonly #open = new Map<number, { readonly number: number; readonly position: Position }>();
  #position: Position;
  #number: number;
  #handedOut = 0;

  constructor(done: Done) {
    this.#left = new Set(done.pending);
    this.#earlier = done.next;
    this.#position = done.position;
    this.#number = done.first;
  }

  /** Where the next record begins. */
  get position(): Position {
    return this.#position;
  }

  /** A record was read that ends here. True when it is to be done; it then has the next index. */
  read(end: Position): boolean {
    const number = this.#number++;
    const position = this.#position;
    this.#position = end;
    if (number < this.#earlier && !this.#left.delete(number)) return false;
    this.#open.set(this.#handedOut++, { number, position });
    return true;
  }

  /** Whether there is such a record under way; it is not any more. */
  ended(index: number): boolean {
    return this.#open.delete(index);
  }

  done(): Done {
    const [first] = this.#open.values();
    const underWay = [...this.#open.values()].map(({ number }) => number);
    return {
      position: first?.position ?? this.#position,
      first: first?.number ?? this.#number,
      next: Math.max(this.#number, this.#earlier),
      pending: [...underWay, ...this.#left],
    };
  }
}
