import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const LIBRARY_FOLDERS = "/usr/lib";

/** Debian's place for it; undefined where it is not installed. */
export function findLibfaketime(): string | undefined {
  if (process.platform !== "linux") return undefined;
  return readdirSync(LIBRARY_FOLDERS)
    .map((folder) => join(LIBRARY_FOLDERS, folder, "faketime/libfaketime.so.1"))
    .find((path) => existsSync(path));
}

/** Sets one process's wall clock wrong below everything in it, by libfaketime; the monotonic clock stays true. */
export class FakedTime {
  readonly #library: string;
  readonly #file: string;

  constructor(library: string, file: string) {
    this.#library = library;
    this.#file = file;
  }

  set(offsetMs: number): void {
    const seconds = (offsetMs / 1_000).toFixed(3);
    writeFileSync(this.#file, `${offsetMs < 0 ? "" : "+"}${seconds}\n`);
  }

  /** For the process to be started. */
  get environment(): Record<string, string> {
    return {
      LD_PRELOAD: this.#library,
      FAKETIME_TIMESTAMP_FILE: this.#file,
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
      FAKETIME_CACHE_DURATION: "1",
    };
  }

  /** What the library leaves behind in a process that is killed. */
  static tidy(pid: number): void {
    for (const name of [`faketime_shm_${pid}`, `sem.faketime_sem_${pid}`]) rmSync(`/dev/shm/${name}`, { force: true });
  }
}
