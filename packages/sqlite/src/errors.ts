import { DtError, type DtErrorCode, type Effect } from "@dt/core";

// Primary result codes, https://www.sqlite.org/rescode.html; extended codes carry them in the low byte.
const BUSY = 5;
const LOCKED = 6;
const READONLY = 8;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const NOTADB = 26;

/** What a user can do about a result code; `{path}` is replaced. */
const REMEDIES: Readonly<Record<number, readonly [code: DtErrorCode, remedy: string]>> = {
  [READONLY]: [
    "DT_STORE_UNSUITABLE",
    "{path} cannot be written; give the process write permission on the file and on its directory (SQLite keeps -wal and -shm files beside it)",
  ],
  [CORRUPT]: [
    "DT_STORE_UNSUITABLE",
    "{path} is damaged; stop its users and delete it with its -wal and -shm files: it holds nothing that the processes do not know",
  ],
  [NOTADB]: [
    "DT_STORE_UNSUITABLE",
    "{path} is not an SQLite database; give the path of a new file, or delete this one",
  ],
  [FULL]: ["DT_STORE_UNAVAILABLE", "the disk of {path} is full; free some space"],
  [CANTOPEN]: [
    "DT_STORE_UNAVAILABLE",
    "{path} cannot be opened; see that its directory exists, that the process may read and write it, and that the path is a file",
  ],
};

/** The primary result code of an error that `node:sqlite` threw for SQLite; undefined for any other error. */
export function resultCode(error: unknown): number | undefined {
  const { code, errcode } = (error ?? {}) as { code?: unknown; errcode?: unknown };
  return code === "ERR_SQLITE_ERROR" && typeof errcode === "number" ? errcode & 0xff : undefined;
}

/** True when another connection has the lock: try again. */
export function isBusy(error: unknown): boolean {
  const result = resultCode(error);
  return result === BUSY || result === LOCKED;
}

/** An error of SQLite as the contract's, with the file and what to do about it. */
export function toDtError(error: unknown, path: string, effect: Effect): unknown {
  const result = resultCode(error);
  if (result === undefined) return error;
  const known = REMEDIES[result];
  const text = error instanceof Error ? error.message : String(error);
  const [code, remedy] = known ?? (["DT_STORE_UNAVAILABLE", "SQLite failed on {path}"] as const);
  return new DtError(code, `${remedy.replace("{path}", path)} (${text})`, { effect, cause: error });
}
