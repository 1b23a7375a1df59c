import { createHash } from "node:crypto";
import { type FileHandle, open } from "node:fs/promises";

/** By what an input is told from another one: a name, or what was read of a file. */
export type Identity = { readonly name: string } | { readonly head: Piece; readonly tail: Piece };

/** A piece of a file: where it begins, how long it is, and what it holds. */
export interface Piece {
  readonly from: number;
  readonly bytes: number;
  readonly sha256: string;
}

/** What of a file's beginning is looked at. */
export const HEAD_BYTES = 65_536;
const TAIL_BYTES = 4_096;

/**
 * The identity of a file of which so many bytes were read: of these the first 64 KiB and the last 4 KiB. What comes
 * later may change: files grow.
 */
export async function identityOfFile(path: string, bytesRead: number): Promise<Identity> {
  return withFile(path, async (file) => ({
    head: await piece(file, 0, Math.min(HEAD_BYTES, bytesRead)),
    tail: await piece(file, Math.max(0, bytesRead - TAIL_BYTES), Math.min(TAIL_BYTES, bytesRead)),
  }));
}

/** Whether a file still holds these pieces. */
export async function holds(path: string, pieces: readonly Piece[]): Promise<boolean> {
  return withFile(path, async (file) => {
    for (const { from, bytes, sha256 } of pieces) if ((await piece(file, from, bytes)).sha256 !== sha256) return false;
    return true;
  });
}

async function piece(file: FileHandle, from: number, bytes: number): Promise<Piece> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, from);
  const sha256 = createHash("sha256").update(buffer.subarray(0, bytesRead)).digest("hex");
  return { from, bytes: bytesRead, sha256 };
}

async function withFile<T>(path: string, operation: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path, "r");
  try {
    return await operation(file);
  } finally {
    await file.close();
  }
}
