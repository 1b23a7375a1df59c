import { constants, createReadStream } from "node:fs";
import { access, stat } from "node:fs/promises";
import { UsageError } from "../exit-code.ts";

/** Where bytes come from. */
export interface ByteSource {
  /** As shown to the user. */
  readonly name: string;
  /** Of what is there at the start; undefined where it has no size. */
  readonly totalBytes: number | undefined;
  /** Whether it can be read from any byte on. */
  readonly seekable: boolean;
  open(fromByte: number): AsyncIterable<Buffer>;
}

/**
 * The file that is read, or standard input.
 * @throws UsageError when there is none that can be read
 */
export async function openSource(file: string | undefined): Promise<ByteSource> {
  if (file === undefined)
    return { name: "standard input", totalBytes: undefined, seekable: false, open: () => process.stdin };
  try {
    const found = await stat(file);
    if (found.isDirectory()) throw new Error("it is a folder");
    await access(file, constants.R_OK);
    const isFile = found.isFile();
    return {
      name: file,
      totalBytes: isFile ? found.size : undefined,
      seekable: isFile,
      open: (start) => createReadStream(file, isFile ? { start } : {}),
    };
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}`);
  }
}
