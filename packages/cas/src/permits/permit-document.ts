import { DtError } from "@dt/core";
import {
  checkList,
  damagedPermits,
  type FreedInstant,
  type LimitRecordHead,
  MemoryPermitTable,
  type PermitEntry,
  type PermitRow,
  type PermitState,
  type RowFormat,
} from "@dt/core/ledger";
import { parseStored, TAG } from "../row-codec.ts";
import { LONGEST_TEXT, type TimedDocument } from "../timed-document/document-kind.ts";
import { type DocumentUse, USE_FIELDS } from "../timed-document/document-use.ts";

/** What is known of a key. */
export interface PermitContents {
  readonly table: MemoryPermitTable;
  /** What the table gives for its limit record, while a request with `stored` is served. */
  limit?: LimitRecordHead | undefined;
  /** Counts operations that gave instants back. */
  releases: number;
}

/** All that is known of a key, as one value. */
export type PermitDocument = TimedDocument<PermitContents>;

/** A key as it is known. @param state left out where nothing is known */
export function permitContents(state?: PermitState, releases = 0): PermitContents {
  const contents: PermitContents = {
    table: new MemoryPermitTable(state, () => contents.limit),
    releases,
  };
  return contents;
}

// What is undefined is null in JSON.
const ROW: RowFormat<PermitRow> = {
  version: 1,
  fields: [
    ["tatMs", "time"],
    ["lastMs", "time"],
    ["offsetMs", "time"],
    ["terms", "maybeText"],
    ["formerTerms", "maybeText"],
    ["pausedUntilMs", "maybeTime"],
    ["stored", "permitCopy"],
    ["aheadUntilMs", "maybeTime"],
  ],
};

const ENTRY: RowFormat<PermitEntry> = {
  version: 1,
  fields: [
    ["id", "name"],
    ["granted", "count"],
    ["firstMs", "offset"],
    ["stepMs", "time"],
    ["earliestMs", "time"],
    // Undefined, in JSON null, for an instant that had been given back.
    ["tatBeforeMs", "maybeTime"],
    ["forgetAtMs", "time"],
  ],
};

const FREED: RowFormat<FreedInstant> = {
  version: 1,
  fields: [
    ["atMs", "time"],
    ["widthMs", "time"],
  ],
};

const QUEUE: RowFormat<{ readonly id: string; readonly untilMs: number }> = {
  version: 1,
  fields: [
    ["id", "name"],
    ["untilMs", "time"],
  ],
};

const USE: RowFormat<DocumentUse & Pick<PermitContents, "releases">> = {
  version: 1,
  fields: [...USE_FIELDS, ["releases", "count"]],
};

/**
 * A key as text: about 70 bytes, and as many for each reservation that is still known.
 * @throws DtError `DT_STORE_UNAVAILABLE` when there is too much of it
 */
export function encodePermits({ table, releases, use }: PermitDocument): string {
  const { row, entries, freed, queue } = table.state();
  const text = JSON.stringify({
    v: TAG,
    row: row && values(row, ROW),
    use: values({ ...use, releases }, USE),
    entries: entries.map((entry) => values(entry, ENTRY)),
    freed: freed.map((instant) => values(instant, FREED)),
    queue,
  });
  if (text.length <= LONGEST_TEXT) return text;
  throw new DtError(
    "DT_STORE_UNAVAILABLE",
    `${entries.length} reservations of this key are ahead or were made a moment ago, more than one value of the store can hold; reserve blocks, lower maxReserved or permitTtl, or use a store with a clock`,
  );
}

/**
 * Reads back what {@link encodePermits} made.
 * @param where what holds it, for messages
 * @throws DtError `DT_STORE_DATA` when it is something else
 */
export function decodePermits(text: string, where: string): PermitDocument {
  const stored = parseStored(text, where, damagedPermits);
  const { v: tag, row, use } = stored;
  if (tag !== TAG) throw damagedPermits(where, `format version ${String(tag)}`);
  const rows = <Row>(name: string, format: RowFormat<Row>): Row[] => {
    const list = stored[name];
    if (!Array.isArray(list)) throw damagedPermits(where, `no list of ${name}`);
    return list.map((row) => checkList(format, row, where, damagedPermits));
  };
  const {
    terms,
    formerTerms,
    pausedUntilMs,
    stored: copy,
    aheadUntilMs,
    ...times
  } = checkList(ROW, row, where, damagedPermits);
  const state = {
    row: {
      ...times,
      terms: terms ?? undefined,
      formerTerms: formerTerms ?? undefined,
      pausedUntilMs: pausedUntilMs ?? undefined,
      stored: copy ?? undefined,
      aheadUntilMs: aheadUntilMs ?? undefined,
    },
    entries: rows("entries", ENTRY).map((entry) => ({ ...entry, tatBeforeMs: entry.tatBeforeMs ?? undefined })),
    freed: rows("freed", FREED),
    queue: rows("queue", QUEUE).map(({ id, untilMs }) => [id, untilMs] as const),
  };
  const { releases, ...usage } = checkList(USE, use, where, damagedPermits);
  return Object.assign(permitContents(state, releases), { use: usage });
}

function values<Row>(row: Row, format: RowFormat<Row>): unknown[] {
  return format.fields.map(([field]) => row[field] ?? null);
}
