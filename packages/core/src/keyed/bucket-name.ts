import type { BucketRef } from "../contract/bucket.ts";

/**
 * One text for a bucket's two names. The first is written as in an address, so that it has no `/`.
 * @example bucketName({ name: "api", key: "tenant/17" }); // "api/tenant/17"
 */
export function bucketName({ name, key }: BucketRef): string {
  return `${encodeURIComponent(name)}/${key}`;
}

/** Reads back what {@link bucketName} made; undefined where it is something else. */
export function readBucketName(text: string): BucketRef | undefined {
  const end = text.indexOf("/");
  if (end < 1 || end === text.length - 1) return undefined;
  try {
    return { name: decodeURIComponent(text.slice(0, end)), key: text.slice(end + 1) };
  } catch {
    return undefined;
  }
}
