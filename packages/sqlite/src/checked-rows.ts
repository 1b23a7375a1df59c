import {
  checkRow,
  DamagedData,
  GROUP_FORMAT,
  type GroupRow,
  MEMBER_FORMAT,
  type MemberRow,
  SLOT_FORMAT,
  type SlotRow,
} from "@dt/core/ledger";

type Columns = Readonly<Record<string, unknown>>;

/** @throws DtError `DT_STORE_DATA` */
export function checkGroup(stored: Columns, where: string): GroupRow {
  const { wants, storedRevision: revision, storedMax: max, ...numbers } = asNumbers(stored);
  const copy = revision === null && max === null ? null : { revision, values: { max } };
  return checkRow(GROUP_FORMAT, { ...numbers, wants: parsed(wants), stored: copy }, where);
}

/** @throws DtError `DT_STORE_DATA` */
export function checkMember(stored: Columns, where: string): MemberRow {
  const { odd, used, waiting, ...columns } = asNumbers(stored);
  const activity = used === null && waiting === null ? null : { used, waiting };
  return checkRow(MEMBER_FORMAT, { ...columns, odd: odd === 1 || (odd === 0 ? false : odd), activity }, where);
}

/** @throws DtError `DT_STORE_DATA` */
export function checkSlot(stored: Columns, where: string): SlotRow {
  return checkRow(SLOT_FORMAT, asNumbers(stored), where);
}

/**
 * Reads rows; `node:sqlite` refuses integers that are no exact JavaScript numbers, which no row has.
 * @throws DtError `DT_STORE_DATA`
 */
export function readChecked<T>(where: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if ((error as { code?: unknown }).code !== "ERR_OUT_OF_RANGE") throw error;
    throw new DamagedData(where, "an integer beyond 2^53");
  }
}

/** Undefined, which no field may be, where the text is no JSON. */
function parsed(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return undefined;
  }
}

/** Statements that read integers exactly give them as bigint. */
function asNumbers(stored: Columns): Columns {
  return Object.fromEntries(
    Object.entries(stored).map(([name, value]) => [name, typeof value === "bigint" ? Number(value) : value]),
  );
}
