import { expect, it } from "vitest";
import { inspectPermits, instantOf, reservePermits } from "../../src/ledger/index.ts";
import type { LimitRecordHead } from "../../src/limits/limit-row.ts";
import { MemoryPermitTable } from "../../src/permits/memory-permit-table.ts";
import { number, page, shown } from "../ledger/support/contract-page.ts";

/** The numbers of P16 of docs/store-contract.md, beside what the arithmetic makes of them. */

const STEP =
  /^(?:(\w) asks(?: for (\d+))?(?: without `stored`, with ([\d,]+))?|the limit is (removed|set to ([\d,]+)))$/;

const [, text = ""] = page.split("\n### P16 ");
const lines = text.split("\n");
const from = lines.findIndex((line) => line.startsWith("| at |"));
const table = lines.slice(from + 2, lines.indexOf("", from)).map((line) =>
  line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim()),
);

it("gives the numbers of P16", () => {
  let record: LimitRecordHead | undefined;
  const rows = new MemoryPermitTable(undefined, () => record);
  const found = table.map(([at = "", what = ""]) => {
    const [, id, count = "1", own, change, everyMs] = STEP.exec(what) ?? [];
    const atMs = number(at);
    if (change !== undefined) {
      const values = everyMs === undefined ? null : JSON.stringify({ everyMs: number(everyMs) });
      record = { revision: (record?.revision ?? 0) + 1, values, untilMs: null };
      return [at, what, "", "", ""];
    }
    if (id === undefined) throw new Error(`no step: ${what}`);
    const request = { id, count: number(count), cost: 1, everyMs: own ? number(own) : 100, burst: 2, maxReserved: 10 };
    const answer = reservePermits(rows, { ...request, keepMs: 0, queueMs: 0, stored: own === undefined }, atMs);
    const instants = Array.from({ length: answer.granted }, (_, i) => shown(instantOf(answer, i)));
    const stored = inspectPermits(rows, "k", atMs)?.stored;
    const copy = stored ? [stored.revision, ...Object.values(stored.values).map(shown)].join(", ") : "-";
    return [at, what, instants.join(", ") || "-", shown(answer.retryAfterMs), copy];
  });
  expect(found).toEqual(table);
  expect(found).not.toHaveLength(0);
});
