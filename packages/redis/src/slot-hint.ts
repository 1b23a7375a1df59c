import { createHash } from "node:crypto";

/** What a hint for one member of a semaphore is sent as: see `slots/hint.lua`. */

/** The end of the name of the member's channel. */
export function memberChannel(secret: string, member: string): string {
  return hashOf(secret, member);
}

/** The text of a hint in a message, or undefined where one sent it who does not know the secret. */
export function provenText(message: string, secret: string, member: string): string | undefined {
  const end = message.lastIndexOf(" ");
  const text = message.slice(0, Math.max(0, end));
  return message.slice(end + 1) === hashOf(secret, member, text) ? text : undefined;
}

function hashOf(...parts: readonly string[]): string {
  return createHash("sha1").update(parts.join(" ")).digest("hex");
}
