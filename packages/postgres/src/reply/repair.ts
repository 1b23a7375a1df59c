import type { RepairReport } from "@dt/core";
import { boolean, number, rowsOf, text, unexpectedReply } from "./field.ts";

/** Columns of `dt_repair`. */
const WIDTH = 3;

/**
 * The report in an answer of `dt_repair`.
 * @throws DtError `DT_STORE_REPLY`
 */
export function parseRepair(reply: unknown): RepairReport {
  const rows = rowsOf(reply, WIDTH);
  const [first] = rows;
  if (!first) throw unexpectedReply(reply, "at least one row");
  const [, members, reset] = first;
  const found = rows.flatMap(([problem]) => (problem === null ? [] : [text(problem)]));
  return { found, members: number(members), reset: boolean(reset) };
}
