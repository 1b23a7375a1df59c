import type { DatabaseSync } from "node:sqlite";
import { DtError } from "@dt/core";
import addActivity from "./sql/add-activity.sql";
import addDemand from "./sql/add-demand.sql";
import addFreedTokens from "./sql/add-freed-tokens.sql";
import forgetGroups from "./sql/forget-groups.sql";
import forgetLevels from "./sql/forget-levels.sql";
import readClock from "./sql/read-clock.sql";
import schema1 from "./sql/schema-1.sql";
import schema2 from "./sql/schema-2.sql";

/** The schema's versions, each the step from the one before. A released step never changes. */
const MIGRATIONS: readonly string[] = [schema1, schema2];

/** Marks a file as this store's (`PRAGMA application_id`): "dtst" in ASCII. */
const APPLICATION_ID = 0x64747374;

/** Groups without members are forgotten after a week, so that a file in which names come and go stays small. */
const FORGET_AFTER_MS = 7 * 86_400_000;

/**
 * Refuses files that are another program's or a newer version's, as they are at one moment: another process may be
 * making its tables just now.
 * @throws DtError `DT_STORE_UNSUITABLE`, `DT_STORE_DATA`
 */
export function checkOwnership(database: DatabaseSync, path: string): void {
  database.exec("BEGIN");
  try {
    refuseOthers(database, path);
  } finally {
    rollBack(database);
  }
}

/** To be run within a transaction. */
function refuseOthers(database: DatabaseSync, path: string): void {
  const version = schemaVersion(database);
  const owner = pragma(database, "application_id");
  const { tables } = database.prepare("SELECT count(*) AS tables FROM sqlite_schema").get() as { tables: number };
  if (owner !== APPLICATION_ID && (tables > 0 || owner !== 0)) {
    throw new DtError(
      "DT_STORE_UNSUITABLE",
      `${path} is a database of another program; give the store a file of its own`,
    );
  }
  refuseNewer(version, path);
}

/**
 * Refuses a file that a newer version of this package has made its own; it stays as it is.
 * @throws DtError `DT_STORE_DATA`
 */
export function refuseNewer(version: number, path: string): void {
  if (version <= MIGRATIONS.length) return;
  throw new DtError(
    "DT_STORE_DATA",
    `${path} has schema version ${version}, made by a newer @dt/sqlite; this one knows versions up to ${MIGRATIONS.length}. Update @dt/sqlite in this process; in another file it would have a limit of its own`,
  );
}

/** Columns that have no version which would tell of them, and the step that adds each. */
const COLUMNS = [
  { table: "groups", name: "freed", add: addFreedTokens },
  { table: "groups", name: "wants", add: addDemand },
  { table: "members", name: "activity", add: addActivity },
] as const;

/**
 * Refuses a file whose tables would have to be made or brought up to date first.
 * @throws DtError `DT_STORE_UNSUITABLE`
 */
export function refuseUnmade(database: DatabaseSync, path: string): void {
  const version = schemaVersion(database);
  if (version === MIGRATIONS.length && COLUMNS.every((column) => hasColumn(database, column))) return;
  const what = version === 0 ? "no tables of the store" : "older tables of the store";
  throw new DtError(
    "DT_STORE_UNSUITABLE",
    `${path} has ${what}, and they may not be ${version === 0 ? "made" : "brought up to date"} here (migrate: false)`,
  );
}

/**
 * Brings the file to the newest schema. Processes that open it at the same time take turns for the write lock; whoever
 * comes second finds nothing left to do.
 */
export function migrate(database: DatabaseSync, path: string): void {
  database.exec("BEGIN IMMEDIATE");
  try {
    // Again, now that nobody else can change it.
    refuseOthers(database, path);
    for (const step of MIGRATIONS.slice(schemaVersion(database))) database.exec(step);
    for (const column of COLUMNS) if (!hasColumn(database, column)) database.exec(column.add);
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${MIGRATIONS.length}`);
    const { nowMs } = database.prepare(readClock).get() as { nowMs: number };
    database.prepare(forgetGroups).run(nowMs - FORGET_AFTER_MS, nowMs, nowMs);
    database.exec(forgetLevels);
    database.exec("COMMIT");
  } catch (error) {
    rollBack(database);
    throw error;
  }
}

/** Ends a failed transaction; SQLite may have ended it by itself already, which is no error here. */
function rollBack(database: DatabaseSync): void {
  try {
    database.exec("ROLLBACK");
  } catch {
    // "cannot rollback - no transaction is active"
  }
}

function hasColumn(database: DatabaseSync, { table, name }: (typeof COLUMNS)[number]): boolean {
  return database.prepare("SELECT 1 FROM pragma_table_info(?) WHERE name = ?").get(table, name) !== undefined;
}

function schemaVersion(database: DatabaseSync): number {
  return pragma(database, "user_version");
}

function pragma(database: DatabaseSync, name: "user_version" | "application_id"): number {
  const row = database.prepare(`PRAGMA ${name}`).get() as Record<string, number>;
  return row[name] as number;
}
