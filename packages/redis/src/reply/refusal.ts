import { isDtError } from "@dt/core";
import { damagedPermits, termsMismatch } from "@dt/core/ledger";

/**
 * Throws what a script of permits said instead of an answer: that the key is damaged, or used with other terms.
 * @param key the first of the key's keys in Redis
 * @throws DtError `DT_STORE_DATA`, `DT_PACE_MISMATCH`
 */
export function refuseReply(reply: unknown, key: string, terms = ""): void {
  if (typeof reply !== "string") return;
  if (reply.startsWith("damaged ")) throw damagedPermits(`redis key ${key}`, reply.slice("damaged ".length));
  if (reply.startsWith("terms ")) throw termsMismatch(reply.slice("terms ".length), terms);
}

/** One of the key's keys may hold what no command of a script can be used on. */
export function withoutWrongType(error: unknown, key: string): unknown {
  const isWrong = isDtError(error) && error.message.includes("WRONGTYPE");
  return isWrong ? damagedPermits(`redis key ${key}, or one that begins like it,`, "a value of another type") : error;
}
