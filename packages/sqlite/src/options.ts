import { resolve } from "node:path";
import { type Duration, type Runtime, systemRuntime } from "@dt/core";
import { checkDuration, checkKeys, checkRuntime, invalidOption } from "@dt/core/ledger";

/** Options of {@link sqliteStore}. */
export interface SqliteStoreOptions {
  /**
   * The file, made when it is missing; its directory must exist. On a local disk: SQLite's locks do not work over a
   * network. Beside it SQLite keeps `<path>-wal` and `<path>-shm`, and the store keeps `<path>-bell`.
   */
  readonly path: string;
  /**
   * Whether the store may make the file and its tables, or bring older tables up to date. With false a file without
   * them is refused (`DT_STORE_UNSUITABLE`), and stays as it is: for tools that look. Default true.
   */
  readonly migrate?: boolean;
  /**
   * How long a call may wait for other processes that write to the file. Then it fails with `DT_STORE_TIMEOUT`, without
   * effect. Default "1s".
   */
  readonly timeout?: Duration;
  /** Where timers and chance come from. Default: the real ones. */
  readonly runtime?: Runtime;
}

/** Options as the store uses them. */
export interface CheckedOptions {
  readonly path: string;
  readonly migrate: boolean;
  readonly timeoutMs: number;
  readonly runtime: Runtime;
}

const KNOWN_OPTIONS: ReadonlySet<string> = new Set([
  "path",
  "migrate",
  "timeout",
  "runtime",
] satisfies (keyof SqliteStoreOptions)[]);

/** @throws DtError `DT_INVALID_OPTION` */
export function checkOptions(options: SqliteStoreOptions): CheckedOptions {
  checkKeys("options", options, KNOWN_OPTIONS);
  const { path, migrate = true, timeout = "1s", runtime = systemRuntime } = options;
  if (typeof path !== "string" || path === "" || path.includes("\0"))
    throw invalidOption("path", path, "give the path of a file, such as ./throttle.db");
  if (path.startsWith(":memory:"))
    throw invalidOption("path", path, "other processes cannot see it; within one process use MemoryStore of @dt/core");
  if (path.startsWith("file:")) throw invalidOption("path", path, "give a plain path, not a URL");
  if (typeof migrate !== "boolean") throw invalidOption("migrate", migrate, "give true or false");
  const timeoutMs = checkDuration("timeout", timeout, 1);
  return { path: resolve(path), migrate, timeoutMs, runtime: checkRuntime(runtime) };
}
