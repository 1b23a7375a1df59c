import { resolve } from "node:path";
import type { Duration, Runtime } from "@dt/core";
import { invalidOption, option, packageName, type Settings, settingsOf, type TableOf } from "@dt/core/internal";

/** Options of {@link sqliteStore}. */
export interface SqliteStoreOptions {
  /**
   * The file, made when it is missing; its directory must exist. On a local disk: SQLite's locks do not work over a
   * network. Beside it SQLite keeps `<path>-wal` and `<path>-shm`, and the store keeps `<path>-hints`.
   */
  readonly path: string;
  /**
   * Whether the store may make the file and its tables, or bring older tables up to date. With false a file without
   * them is refused (`DT_STORE_UNSUITABLE`), and stays as it is: for tools that look.
   * @default true
   */
  readonly migrate?: boolean;
  /**
   * How long a call may wait for other processes that write to the file. Then it fails with `DT_STORE_TIMEOUT`, without
   * effect.
   * @default "1s"
   */
  readonly timeout?: Duration;
  /**
   * Where timers and chance come from.
   * @default the real ones
   */
  readonly runtime?: Runtime;
}

/** Options as the store uses them. */
export type SqliteStoreSettings = Settings<SqliteStoreOptions>;

const STORE = {
  path: option.checked(checkPath),
  migrate: option.boolean.or(true),
  timeout: option.duration(1).or("1s"),
  runtime: option.runtime,
} satisfies TableOf<SqliteStoreOptions>;

/** @throws DtError `DT_INVALID_OPTION` */
export function checkSqliteStoreOptions(options: SqliteStoreOptions): SqliteStoreSettings {
  return settingsOf(STORE, options);
}

function checkPath(name: string, path: unknown): string {
  if (typeof path !== "string" || path === "" || path.includes("\0"))
    throw invalidOption(name, path, "give the path of a file, such as ./throttle.db");
  if (path.startsWith(":memory:"))
    throw invalidOption(
      name,
      path,
      `other processes cannot see it; within one process use MemoryStore of ${packageName("core")}`,
    );
  if (path.startsWith("file:")) throw invalidOption(name, path, "give a plain path, not a URL");
  return resolve(path);
}
