import { unexpectedReply } from "./field.ts";

/**
 * The secret in a reply of `channel.lua`.
 * @throws DtError `DT_STORE_REPLY`
 */
export function parseSecret(reply: unknown): string {
  if (typeof reply !== "string" || !/^\w+$/.test(reply)) throw unexpectedReply(reply, "a secret");
  return reply;
}
