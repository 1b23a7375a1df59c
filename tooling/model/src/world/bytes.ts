/** A growing sequence of small whole numbers, one byte each. */
export class ByteWriter {
  readonly bytes: Uint8Array;
  length = 0;

  constructor(size: number) {
    this.bytes = new Uint8Array(size);
  }

  clear(): void {
    this.length = 0;
  }

  /**
   * @throws RangeError when the value is no byte: a state that the encoding does not foresee must not pass as another
   *   one
   */
  put(value: number): void {
    if ((value & 255) !== value)
      throw new RangeError(`${value} does not fit into a byte of a state; use smaller bounds`);
    this.bytes[this.length++] = value;
  }

  append(from: Uint8Array, start: number, end: number): void {
    for (let index = start; index < end; index++) this.bytes[this.length++] = from[index] as number;
  }
}

export class ByteReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  take(): number {
    return this.#bytes[this.#at++] as number;
  }
}

/** Orders two slices, byte by byte; a slice that is the beginning of the other comes first. */
export function compareSlices(bytes: Uint8Array, a: number, aEnd: number, b: number, bEnd: number): number {
  const length = Math.min(aEnd - a, bEnd - b);
  for (let index = 0; index < length; index++) {
    const difference = (bytes[a + index] as number) - (bytes[b + index] as number);
    if (difference !== 0) return difference;
  }
  return aEnd - a - (bEnd - b);
}
