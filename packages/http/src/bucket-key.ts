import { createHash } from "node:crypto";

/** Bytes that a store takes of a key. */
const LONGEST_KEY_BYTES = 1_024;

/**
 * A text as the key of a bucket. Clients choose what is in a header, so what no store takes as a key is counted by its
 * digest: an empty text, one of more than 1,024 bytes, and one with a NUL or half a character.
 */
export function bucketKey(text: string): string {
  const isKey = text !== "" && text.isWellFormed() && !text.includes("\0") && isShort(text);
  return isKey ? text : `sha256 ${createHash("sha256").update(text, "utf16le").digest("base64url")}`;
}

function isShort(text: string): boolean {
  // Three bytes are the most that a unit of UTF-16 takes: nearly every key is short enough at first sight.
  return text.length * 3 <= LONGEST_KEY_BYTES || Buffer.byteLength(text) <= LONGEST_KEY_BYTES;
}
