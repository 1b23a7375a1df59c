import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type RunRecord, readRecord } from "../records/record.ts";
import { provenance, table } from "../records/tables.ts";
import type { Row } from "./cell.ts";
import { DEMANDS } from "./demands.ts";
import { SHARINGS } from "./fleet.ts";

export const SHARES_PAGE = fileURLToPath(new URL("../../../../../docs/shares.md", import.meta.url));

/** Writes docs/shares.md from the record. */
export function writeSharesPage(): void {
  writeFileSync(SHARES_PAGE, sharesPage());
}

/** docs/shares.md, whole. */
export function sharesPage(record: RunRecord<readonly Row[]> = readRecord("shares")): string {
  const rows = record.result;
  const sizes = [...new Set(rows.map(({ members }) => members))].sort((a, b) => a - b);
  const [first] = rows;
  return `# What a fleet reaches

How much of its limit a fleet can use when its members do not all want the same: with \`shares: "even"\`, with \`shares: "demand"\`, and with the latter and \`syncInterval: 250\`. Real throttles on the real ledger (the memory store, 0.5 to 2.5 ms
away each way), in virtual time. Calls are counted as callers do: \`acquire\` with a timeout of 2 s, or \`tryAcquire\` where nobody waits; each for one token.

**Reached** is what was granted, of what an oracle would have granted: one that knows at the beginning of each epoch every request that waits or will come in it, and divides the limit at once, max-min fairly and in whole tokens. It looks no
farther than the epoch, so that a fleet may come out a little above 100 %. **Jain** is Jain's index of what each member was granted of its part by the oracle: 1 where all are served alike. **Syncs** are calls to the store for each member and
second, **changes** are changes of a member's share a minute. **Light wait** is how long the requests that were granted had waited in milliseconds, median and 99th percentile, of the members to which the oracle grants no more than the even part.

${first?.seconds} s are measured after 10 s of warm-up, seed ${first?.seed}. The limit is ten tokens a second for each member unless the demand says otherwise. No fleet had an epoch above its limit; the fullest epoch of all was ${fullest(rows)} of it.

${provenance([record])}
## The demands

${table(
  ["demand", "what the members want"],
  DEMANDS.map(({ name, what }) => `| \`${name}\` | ${what} |`),
)}
${sizes.map((size) => section(size, rows)).join("\n")}
A test compares this page with the record of the run.
`;
}

function section(size: number, rows: readonly Row[]): string {
  const names = SHARINGS.map(({ name }) => name);
  const lines = DEMANDS.flatMap(({ name }) => {
    const ways = names.map((shares) =>
      rows.find((row) => row.members === size && row.demand === name && row.shares === shares),
    );
    if (ways.every((way) => way === undefined)) return [];
    const each = (show: (row: Row) => string): string => ways.map((way) => (way ? show(way) : "")).join(" / ");
    const reached = ways.map((way) => (way ? (100 * way.reached).toFixed(1) : "")).join(" | ");
    return [
      `| \`${name}\` | ${reached} | ${each((row) => row.jain.toFixed(2))} | ${each((row) => row.syncsPerMemberSecond.toFixed(2))} | ${each((row) => row.shareChangesPerMemberMinute.toFixed(0))} | ${each(lightWait)} |`,
    ];
  });
  const all = names.join(" / ");
  return `## ${size.toLocaleString("en-US")} members

${table(["demand", ...names.map((name) => `${name}, %`), `Jain: ${all}`, "syncs", "changes", "light wait"], lines)}`;
}

function lightWait({ lightMedianWaitMs, lightP99WaitMs }: Row): string {
  return lightMedianWaitMs === null ? "–" : `${lightMedianWaitMs}, ${lightP99WaitMs}`;
}

function fullest(rows: readonly Row[]): string {
  return `${(100 * Math.max(...rows.map(({ fullestEpoch }) => fullestEpoch))).toFixed(1)} %`;
}
