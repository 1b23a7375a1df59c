import { createHash } from "node:crypto";

/**
 * What this package calls the channel of a group's hints, or of those of a key's permits. The server makes the
 * channel's real name of it, with a secret of the schema (`dt_channel`).
 */
export function channelOf(name: string, what: "group" | "permits" = "group"): string {
  return `${what} ${createHash("sha256").update(name).digest("hex")}`;
}
