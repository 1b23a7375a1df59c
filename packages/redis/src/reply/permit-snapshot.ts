import type { PermitSnapshot } from "@dt/core";
import { inspectPermits } from "@dt/core/ledger";
import { number, texts } from "./field.ts";

/** Values of a reply of `inspect.lua` of permits. */
const WIDTH = 8;

/**
 * What a key holds, or undefined when nothing is left of it.
 * @throws DtError `DT_STORE_REPLY`
 */
export function parsePermitSnapshot(reply: unknown, key: string): PermitSnapshot | undefined {
  if (reply === "nothing") return undefined;
  const [tat, last, terms, formerTerms, now, known, freed, waiting] = texts(reply, WIDTH);
  const row = {
    tatMs: number(tat),
    lastMs: number(last),
    offsetMs: 0,
    terms: terms || undefined,
    formerTerms: formerTerms || undefined,
  };
  const counts = { known: number(known), freed: number(freed), waiting: number(waiting) };
  return inspectPermits({ row: () => row, count: () => counts }, key, number(now));
}
