import type { PermitSnapshot } from "@dt/core";
import { inspectPermits } from "@dt/core/ledger";
import { number, rowOf, rowsOf, text } from "./field.ts";

/** Columns of the statement in `looks/permits.sql`. */
const WIDTH = 9;

/** @throws DtError `DT_STORE_REPLY` */
export function parseNames(reply: unknown): readonly string[] {
  return rowsOf(reply, 1).map(([name]) => text(name));
}

/**
 * What a key holds, or undefined when nothing is left of it.
 * @throws DtError `DT_STORE_REPLY`
 */
export function parsePermits(reply: unknown, key: string): PermitSnapshot | undefined {
  if (rowsOf(reply, WIDTH).length === 0) return undefined;
  const [tat, last, terms, formerTerms, now, known, freed, waiting] = rowOf(reply, WIDTH);
  const row = {
    tatMs: number(tat),
    lastMs: number(last),
    offsetMs: 0,
    terms: terms ?? undefined,
    formerTerms: formerTerms ?? undefined,
  };
  const counts = { known: number(known), freed: number(freed), waiting: number(waiting) };
  return inspectPermits({ row: () => row, count: () => counts }, key, number(now));
}
