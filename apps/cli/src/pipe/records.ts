import { BadLine, NOT_A_RECORD } from "./bad-line.ts";
import { DEEPEST, parseExactly } from "./exact-json.ts";
import { type Line, linesOf } from "./lines.ts";
import { isOfPart, type Part } from "./part.ts";

/** How far an input was read. */
export interface Position {
  /** Records that came before, those of other parts included. */
  readonly records: number;
  /** Where the next line begins, in bytes. */
  readonly bytes: number;
}

/** What is read, and how. */
export interface Reading {
  readonly part: Part;
  /** Longest line, in bytes. */
  readonly longest: number;
  /** The lines are dead letters, `{"input": ..., "error": ...}`: their inputs are the records. */
  readonly deadLetters: boolean;
}

/**
 * The records of a part: what the lines hold, as JSON, or a {@link BadLine}. Empty lines are passed over.
 * @param chunks the input from `start` on
 * @param read told of each record, before it is handed out, where it ends
 */
export async function* recordsOf(
  chunks: AsyncIterable<Buffer>,
  start: Position,
  { part, longest, deadLetters }: Reading,
  read: (end: Position) => void,
): AsyncGenerator<unknown> {
  let records = start.records;
  for await (const line of linesOf(chunks, start.bytes, longest)) {
    if (isBlank(line)) continue;
    records += 1;
    if (!isOfPart(part, records - 1)) continue;
    // A dead letter is one level around its record.
    const value = recordOf(line, records, longest, deadLetters ? DEEPEST + 1 : DEEPEST);
    read({ records, bytes: line.end });
    yield deadLetters && !(value instanceof BadLine) ? inputOf(value, records) : value;
  }
}

const BYTE_ORDER_MARK = Buffer.from("\ufeff");

function isBlank({ bytes: line, cutFrom }: Line): boolean {
  if (cutFrom !== undefined) return false;
  const bytes = line.subarray(0, 3).equals(BYTE_ORDER_MARK) ? line.subarray(3) : line;
  for (const byte of bytes) if (byte !== 0x20 && byte !== 0x0d && byte !== 0x09) return false;
  return true;
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

function recordOf({ bytes, cutFrom }: Line, number: number, longest: number, deepest: number): unknown {
  const bad = (why: string): BadLine => new BadLine(bytes.toString("utf8"), `${NOT_A_RECORD} ${number}: ${why}`);
  if (cutFrom !== undefined) return bad(`its line has ${cutFrom} bytes, more than the ${longest} of --max-line`);
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    return bad("its line is not UTF-8");
  }
  try {
    return parseExactly(text, deepest);
  } catch (error) {
    return bad((error as Error).message);
  }
}

/** The record of a dead letter. What was no record before is none now. */
function inputOf(letter: unknown, number: number): unknown {
  const isLetter = typeof letter === "object" && letter !== null && Object.hasOwn(letter, "input");
  if (!isLetter) {
    const why = 'its line has no input; --retry-file takes lines such as {"input": ..., "error": "..."}';
    return new BadLine(JSON.stringify(letter), `${NOT_A_RECORD} ${number}: ${why}`);
  }
  const { input, error } = letter as { readonly input: unknown; readonly error?: unknown };
  const wasBad = typeof input === "string" && typeof error === "string" && error.startsWith(NOT_A_RECORD);
  return wasBad ? new BadLine(input, error) : input;
}
