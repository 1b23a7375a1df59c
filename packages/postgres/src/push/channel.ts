import { createHash } from "node:crypto";

/** The channel of a group's hints. A hash, since names of channels are identifiers: 63 bytes at most. @param schema quoted */
export function channelOf(schema: string, group: string): string {
  return `dt_${createHash("sha256").update(`${schema}\0${group}`).digest("hex").slice(0, 40)}`;
}
