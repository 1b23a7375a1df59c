/** A line of a stream of bytes. */
export interface Line {
  /** Without the newline. Of a line that is too long only the beginning. */
  readonly bytes: Buffer;
  /** Where the next line begins, in bytes from the start of the input. */
  readonly end: number;
  /** How long the line is, in bytes; undefined when all of it is in `bytes`. */
  readonly cutFrom: number | undefined;
}

/** What is kept of a line that is too long. */
const KEPT_BYTES = 1_000;
const NEWLINE = 0x0a;

/**
 * The lines of a stream. What follows the last newline is a line as well, unless it is empty. Of a line that is longer
 * than `longest` bytes no more than that, and one chunk, is in memory.
 * @param start where the stream begins in the input, in bytes
 */
export async function* linesOf(chunks: AsyncIterable<Buffer>, start: number, longest: number): AsyncGenerator<Line> {
  let held: Buffer[] = [];
  let heldBytes = 0;
  let length = 0;
  let end = start;
  const take = (piece: Buffer): void => {
    length += piece.length;
    end += piece.length;
    if (heldBytes > longest) return;
    held.push(piece);
    heldBytes += piece.length;
  };
  const line = (): Line => {
    const [first] = held;
    const all = held.length === 1 && first ? first : Buffer.concat(held);
    const tooLong = length > longest;
    const made = { bytes: tooLong ? all.subarray(0, KEPT_BYTES) : all, end, cutFrom: tooLong ? length : undefined };
    [held, heldBytes, length] = [[], 0, 0];
    return made;
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      take(chunk.subarray(from, at));
      from = at + 1;
      end += 1;
      yield line();
    }
    if (from < chunk.length) take(chunk.subarray(from));
  }
  if (length > 0) yield line();
}
