import type { DatabaseSync } from "node:sqlite";
import { DtError } from "@dt/core";
import { packageName } from "@dt/core/internal";
import forgetGroups from "./sql/forget-groups.sql";
import forgetLevels from "./sql/forget-levels.sql";
import readClock from "./sql/read-clock.sql";
import schema from "./sql/schema.sql";

/** What brings a file from version 1 of the schema to 2, and so on. A released step never changes. */
const STEPS: readonly string[] = [];

/** The version of `schema.sql`, which is what a new file gets. */
const VERSION = STEPS.length + 1;

/** Marks a file as this store's (`PRAGMA application_id`): "dts1" in ASCII. "dtst" was that of unreleased formats. */
const APPLICATION_ID = 0x64747331;

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
function refuseOthers(database: DatabaseSync, path: string, known: number = VERSION): void {
  const version = schemaVersion(database);
  const owner = pragma(database, "application_id");
  const { tables } = database.prepare("SELECT count(*) AS tables FROM sqlite_schema").get() as { tables: number };
  if (owner !== APPLICATION_ID && (tables > 0 || owner !== 0)) {
    throw new DtError(
      "DT_STORE_UNSUITABLE",
      `${path} is a database of another program, or of this package before its first release; give the store a file of its own`,
    );
  }
  refuseNewer(version, path, known);
}

/**
 * Refuses a file that a newer version of this package has made its own; it stays as it is.
 * @throws DtError `DT_STORE_DATA`
 */
export function refuseNewer(version: number, path: string, known: number = VERSION): void {
  if (version <= known) return;
  throw new DtError(
    "DT_STORE_DATA",
    `${path} has schema version ${version}, made by a newer ${packageName("sqlite")}; this one knows versions up to ${known}. Update ${packageName("sqlite")} in this process; in another file it would have a limit of its own`,
  );
}

/**
 * Refuses a file whose tables would have to be made or brought up to date first.
 * @throws DtError `DT_STORE_UNSUITABLE`
 */
export function refuseUnmade(database: DatabaseSync, path: string): void {
  const version = schemaVersion(database);
  if (version === VERSION) return;
  const what = version === 0 ? "no tables of the store" : "older tables of the store";
  throw new DtError(
    "DT_STORE_UNSUITABLE",
    `${path} has ${what}, and they may not be ${version === 0 ? "made" : "brought up to date"} here (migrate: false)`,
  );
}

/**
 * Brings the file to the newest schema. Processes that open it at the same time take turns for the write lock; whoever
 * comes second finds nothing left to do.
 * @param steps of another version than this, for its tests
 */
export function migrate(database: DatabaseSync, path: string, steps: readonly string[] = STEPS): void {
  const known = steps.length + 1;
  database.exec("BEGIN IMMEDIATE");
  try {
    // Again, now that nobody else can change it.
    refuseOthers(database, path, known);
    const version = schemaVersion(database);
    for (const step of version === 0 ? [schema] : steps.slice(version - 1)) database.exec(step);
    database.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${known}`);
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

function schemaVersion(database: DatabaseSync): number {
  return pragma(database, "user_version");
}

function pragma(database: DatabaseSync, name: "user_version" | "application_id"): number {
  const row = database.prepare(`PRAGMA ${name}`).get() as Record<string, number>;
  return row[name] as number;
}
