import {
  checkRow,
  DamagedData,
  GROUP_FORMAT,
  type GroupRow,
  MEMBER_FORMAT,
  type MemberBeside,
  type MemberRow,
  withActivity,
  withBeside,
  withFreed,
  withWants,
} from "@dt/core/ledger";

type Columns = Readonly<Record<string, unknown>>;

/** @throws DtError `DT_STORE_DATA` */
export function checkGroup(stored: Columns, where: string): GroupRow {
  const { freed, wants } = stored;
  return withWants(withFreed(checkRow(GROUP_FORMAT, asNumbers(stored), where), parsed(freed)), parsed(wants));
}

/** @throws DtError `DT_STORE_DATA` */
export function checkMember(stored: Columns, where: string): MemberRow {
  const { demand, activity } = stored;
  const row = withBeside(checkRow(MEMBER_FORMAT, asNumbers(stored), where), parsed(demand));
  return withActivity(row, parsed(activity));
}

/** What a member's column of that name says. */
export function demandOf(demand: unknown): MemberBeside {
  return withBeside({}, parsed(demand));
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

/** Undefined where the text is nobody's JSON: what it says is not known then, which is no damage. */
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
