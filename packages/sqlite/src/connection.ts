import { type BigIntStats, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { DtError, type Effect, isDtError } from "@dt/core";
import { isBusy, toDtError } from "./errors.ts";
import { checkOwnership, migrate, refuseNewer, refuseUnmade } from "./schema.ts";
import { prepareStatements, type Statements } from "./statements.ts";

/** What a transaction gives when another process has the lock: nothing was done, and it is worth trying again. */
export const BUSY: unique symbol = Symbol("busy");

/**
 * One open file. Everything here runs to its end without waiting: `node:sqlite` is synchronous, so SQLite's own busy
 * handler, which sleeps, would stop the whole process. Instead a locked file gives {@link BUSY}, and the caller tries
 * again later.
 */
export class Connection {
  readonly #path: string;
  readonly #database: DatabaseSync;
  readonly #statements: Statements;
  readonly #file: BigIntStats | undefined;

  /**
   * Opens the file, makes or updates its tables if it may, and prepares the statements.
   * @throws DtError `DT_STORE_UNSUITABLE` or `DT_STORE_UNAVAILABLE`
   */
  static open(path: string, mayMigrate = true): Connection | typeof BUSY {
    let database: DatabaseSync | undefined;
    try {
      // SQLite would make the file.
      if (!mayMigrate) refuseMissing(path);
      database = new DatabaseSync(path);
      return new Connection(path, database, mayMigrate);
    } catch (error) {
      database?.close();
      if (isBusy(error)) return BUSY;
      throw toDtError(error, path, "definite");
    }
  }

  private constructor(path: string, database: DatabaseSync, mayMigrate: boolean) {
    this.#path = path;
    this.#database = database;
    database.exec("PRAGMA busy_timeout = 0");
    checkOwnership(database, path);
    if (mayMigrate) useWriteAheadLog(database, path);
    else refuseUnmade(database, path);
    // In WAL mode NORMAL never damages the file, and keeps what was committed when a process dies. Only a crash of the
    // machine may lose the newest commits, and that ends the members whose heartbeats they were too. FULL would add an
    // fsync to every heartbeat.
    database.exec("PRAGMA synchronous = NORMAL");
    // What belongs to a permit key goes with it.
    database.exec("PRAGMA foreign_keys = ON");
    if (mayMigrate) migrate(database, path);
    this.#statements = prepareStatements(database);
    this.#file = statSync(path, { bigint: true, throwIfNoEntry: false });
  }

  /**
   * Runs `operation` as a whole or not at all, alone among all writers; `read` gives a consistent view and no lock.
   * @throws DtError, or what `operation` throws, after which nothing of it is left
   */
  transaction<T>(mode: "read" | "write", operation: (statements: Statements, nowMs: number) => T): T | typeof BUSY {
    const { begin, beginImmediate, commit, readClock, readVersion } = this.#statements;
    let effect: Effect = "definite";
    try {
      this.#assertInPlace();
      (mode === "write" ? beginImmediate : begin).run();
      const { nowMs } = readClock.get() as { readonly nowMs: number };
      refuseNewer((readVersion.get() as { readonly user_version: number }).user_version, this.#path);
      const result = operation(this.#statements, nowMs);
      effect = "unknown";
      commit.run();
      return result;
    } catch (error) {
      this.#rollBack();
      if (isBusy(error)) return BUSY;
      throw isDtError(error) ? error : toDtError(error, this.#path, effect);
    }
  }

  close(): void {
    this.#database.close();
  }

  /**
   * A file that was deleted or replaced stays open here, but whoever opens the path now sees another one: two ledgers
   * for one group.
   */
  #assertInPlace(): void {
    const now = statSync(this.#path, { bigint: true, throwIfNoEntry: false });
    if (now && now.ino === this.#file?.ino && now.dev === this.#file.dev) return;
    throw new DtError(
      "DT_STORE_UNAVAILABLE",
      `${this.#path} was ${now ? "replaced" : "deleted"} while it was in use; the next call opens the path again. Stop every user of the file before you delete it`,
    );
  }

  #rollBack(): void {
    try {
      this.#statements.rollback.run();
    } catch {
      // No transaction is active: BEGIN failed, or SQLite ended it by itself.
    }
  }
}

function refuseMissing(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })) return;
  throw new DtError("DT_STORE_UNSUITABLE", `there is no file ${path}, and it may not be made here (migrate: false)`);
}

/**
 * Readers and the writer of a write-ahead log do not block each other. It stays on once it is on; turning it on needs
 * the file alone.
 */
function useWriteAheadLog(database: DatabaseSync, path: string): void {
  const { journal_mode: mode } = database.prepare("PRAGMA journal_mode = WAL").get() as { journal_mode: string };
  if (mode === "wal") return;
  throw new DtError(
    "DT_STORE_UNSUITABLE",
    `${path} cannot have a write-ahead log (journal mode is ${mode}); put it on a local disk`,
  );
}
