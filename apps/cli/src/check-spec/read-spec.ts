import { type FileHandle, open } from "node:fs/promises";
import { UsageError } from "../exit-code.ts";

/** The longest file, in bytes: 1 MiB. No more of a file is read. */
const LONGEST = 2 ** 20;

/**
 * The text of a file, or of the standard input.
 * @param path `-` is the standard input
 * @throws UsageError where it cannot be read, is too long, or is not UTF-8
 */
export async function readSpec(path: string): Promise<string> {
  const bytes = path === "-" ? await firstBytes(process.stdin) : await bytesOfFile(path);
  if (bytes.length > LONGEST)
    throw new UsageError(`${path} has more than ${LONGEST} bytes; give a smaller file, such as one for each spec`);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new UsageError(`${path} is not UTF-8; give a text file with YAML`);
  }
}

async function bytesOfFile(path: string): Promise<Uint8Array> {
  let file: FileHandle | undefined;
  try {
    file = await open(path);
    return await firstBytes(file.createReadStream({ end: LONGEST, autoClose: false }));
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${(error as Error).message}`, { cause: error });
  } finally {
    await file?.close();
  }
}

/** All bytes, or one more than may be. */
async function firstBytes(stream: AsyncIterable<Buffer | string>): Promise<Uint8Array> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of stream) {
    chunks.push(Buffer.from(chunk));
    length += chunk.length;
    if (length > LONGEST) break;
  }
  return Buffer.concat(chunks);
}
