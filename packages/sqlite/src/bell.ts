import { closeSync, constants, type FSWatcher, fstatSync, openSync, watch, writeSync } from "node:fs";
import { DtError } from "@dt/core";

/**
 * A file beside the database that is written whenever a group changes, so that other processes' file watchers wake up:
 * the operating system's push, without polling and without a server. The database itself would not do: every heartbeat
 * writes it, and SQLite deletes the -wal file when the last process leaves. What the bell says is only "look": a lost
 * ring costs at most one sync interval.
 */
export class Bell {
  readonly #path: string;
  #handle: number | undefined;
  readonly #watchers = new Set<FSWatcher>();

  constructor(databasePath: string) {
    this.#path = `${databasePath}-bell`;
  }

  /** Wakes every listener on this machine. Never throws: a hint that cannot be given is a hint lost. */
  ring(): void {
    try {
      this.#handle ??= this.#open();
      writeSync(this.#handle, ".", 0);
    } catch {
      this.#closeHandle();
    }
  }

  /**
   * Calls back at every ring from now on, in this process and others, until `onLost`: the file was deleted or replaced,
   * or the operating system watches it no more.
   * @returns what ends it; rings go on
   * @throws DtError `DT_STORE_UNAVAILABLE` when the operating system cannot watch the file
   */
  listen(onRing: () => void, onLost: () => void): () => void {
    try {
      closeSync(this.#open());
      // Hints alone do not keep a process running.
      const watcher = watch(this.#path, { persistent: false }, (event) => {
        if (event !== "rename") return onRing();
        // What rings from now on is another file.
        this.#closeHandle();
        onLost();
      });
      watcher.on("error", onLost);
      this.#watchers.add(watcher);
      return () => this.#mute(watcher);
    } catch (error) {
      throw new DtError(
        "DT_STORE_UNAVAILABLE",
        `${this.#path} cannot be watched for changes (${String(error)}); remove what stands there if it is no regular file, allow more file watchers (on Linux fs.inotify.max_user_watches and max_user_instances), or go without watch()`,
        { cause: error },
      );
    }
  }

  close(): void {
    for (const watcher of this.#watchers) this.#mute(watcher);
    this.#closeHandle();
  }

  #mute(watcher: FSWatcher): void {
    this.#watchers.delete(watcher);
    watcher.close();
  }

  /**
   * Opens the file itself, never what a link points to, and without waiting: a FIFO would stop the process until
   * somebody reads from it. Not for appending: there the system ignores the position, and the file would grow with
   * every ring.
   */
  #open(): number {
    const { O_CREAT, O_WRONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
    const handle = openSync(this.#path, O_CREAT | O_WRONLY | O_NOFOLLOW | O_NONBLOCK, 0o666);
    if (fstatSync(handle).isFile()) return handle;
    closeSync(handle);
    throw new Error("it is no regular file");
  }

  #closeHandle(): void {
    if (this.#handle === undefined) return;
    closeSync(this.#handle);
    this.#handle = undefined;
  }
}
