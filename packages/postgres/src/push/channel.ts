import { createHash } from "node:crypto";

/** The channel of a group's hints, or of those of a key's permits. A hash, since names of channels are identifiers: 63 bytes at most. @param schema quoted */
export function channelOf(schema: string, name: string, what: "group" | "permits" = "group"): string {
  const prefix = what === "group" ? "dt_" : "dt_permits_";
  return `${prefix}${createHash("sha256").update(`${schema}\0${name}`).digest("hex").slice(0, 40)}`;
}
