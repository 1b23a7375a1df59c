import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { DtError } from "@dt/core";

const NEWLINE = 0x0a;
const CHUNK = 65_536;
/** Windows has no such flag. */
const APPEND_TO_NO_LINK = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);
/** A file whose last line is longer was hardly written line by line. */
const LONGEST_LINE = 64 * 2 ** 20;

/**
 * Makes a file end with a whole line, and returns its length. A crash may have left half a line at its end: that is
 * moved to a file beside it, named `<path>.torn`, so that the next line begins on its own. A last line that is whole
 * but for its newline gets one.
 * @throws DtError `DT_STORE_DATA` when the file has no line end in its last 64 MiB
 */
export async function mendTornLine(file: FileHandle, path: string): Promise<number> {
  const { size } = await file.stat();
  const torn = await lastLine(file, size, path);
  if (torn.length === 0) return size;
  if (isJson(torn)) {
    await file.appendFile("\n");
    return size + 1;
  }
  const aside = await open(`${path}.torn`, APPEND_TO_NO_LINK);
  try {
    await aside.appendFile(Buffer.concat([torn, Buffer.of(NEWLINE)]));
    await aside.datasync();
  } finally {
    await aside.close();
  }
  await file.truncate(size - torn.length);
  return size - torn.length;
}

/** What comes after the last newline. */
async function lastLine(file: FileHandle, size: number, path: string): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - CHUNK);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(end - start), 0, end - start, start);
    const piece = buffer.subarray(0, bytesRead);
    const newline = piece.lastIndexOf(NEWLINE);
    pieces.unshift(piece.subarray(newline + 1));
    if (newline >= 0) break;
    if (size - start > LONGEST_LINE)
      throw new DtError(
        "DT_STORE_DATA",
        `${path} has no line end in its last 64 MiB: it is no file of JSON lines; give another path`,
      );
    end = start;
  }
  return Buffer.concat(pieces);
}

function isJson(line: Buffer): boolean {
  try {
    JSON.parse(line.toString("utf8"));
    return true;
  } catch {
    return false;
  }
}
