import type { RepairReport } from "@dt/core";
import { number, texts, unexpectedReply } from "./field.ts";
import { refuseData } from "./refused-data.ts";

/**
 * The report in a reply of `repair-command.lua`.
 * @throws DtError `DT_STORE_REPLY`, `DT_STORE_DATA`
 */
export function parseRepairReport(reply: unknown): RepairReport {
  refuseData(reply);
  const [status, members, reset, ...found] = texts(reply, 3);
  if (status !== "repaired") throw unexpectedReply(reply, "a report");
  return { found, members: number(members), reset: reset === "1" };
}
