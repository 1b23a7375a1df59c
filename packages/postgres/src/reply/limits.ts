import type { StoredLimit } from "@dt/core/store";
import { boolean, number, rowOf } from "./field.ts";

/** Columns of the statement in `read-only/limit.sql`. */
const LIMIT_WIDTH = 6;

/**
 * What is stored of a limit, for the shell to check.
 * @throws DtError `DT_STORE_REPLY`
 */
export function parseStoredLimit(reply: unknown): StoredLimit {
  const [isThere, revision, values, until, history, now] = rowOf(reply, LIMIT_WIDTH);
  const stored = { revision: Number(revision), values, untilMs: until && Number(until), history };
  return { stored: boolean(isThere) ? stored : undefined, storeTimeMs: number(now) };
}
