import type { Runtime } from "@dt/core";
import { encodeLimitRow, type LimitRecordRow, limitPartsOf } from "@dt/core/ledger";
import type { StoredLimit } from "@dt/core/store";
import type { DocumentCell } from "../timed-document/document-cell.ts";
import type { ReadLimit } from "./limit-head.ts";

/** A record is set by a person, and stays. */
const FOR_EVER_MS = Number.POSITIVE_INFINITY;

/**
 * The time of limit records, in milliseconds: the wall clock of this process, since the store has none. It decides
 * nothing but when a limit that was set for some time is over.
 */
export function recordTimeMs(runtime: Runtime): number {
  return runtime.wallTimeMs?.() ?? runtime.now();
}

/** A limit record as text, read at a time of records. */
export function limitIn(text: string, timeMs: number): ReadLimit {
  return { record: limitPartsOf(parsed(text)), timeMs };
}

/** A limit record in a cell, and the time; undefined where there is none. */
export async function readLimitCell(cell: DocumentCell, runtime: Runtime): Promise<ReadLimit | undefined> {
  const stored = await cell.read();
  return stored && limitIn(stored.text, recordTimeMs(runtime));
}

/** A limit record in a cell as a backend reads it, and the time (L1). */
export async function readLimit(cell: DocumentCell, runtime: Runtime): Promise<StoredLimit> {
  const read = await readLimitCell(cell, runtime);
  return { stored: read?.record, storeTimeMs: read?.timeMs ?? recordTimeMs(runtime) };
}

/**
 * Writes a record, if its revision is still `from`; false when it is not.
 * @param from the revision that it takes the place of: 0 for no record, null for whatever is there
 */
export async function writeLimit(cell: DocumentCell, from: number | null, row: LimitRecordRow): Promise<boolean> {
  const stored = await cell.read();
  const revision = stored ? limitIn(stored.text, 0).record.revision : 0;
  if (from !== null && revision !== from) return false;
  return (await cell.replace(stored?.revision, JSON.stringify(encodeLimitRow(row)), FOR_EVER_MS)).done;
}

/** Undefined, which is no record, where the text is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
