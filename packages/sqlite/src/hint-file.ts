import { closeSync, constants, type FSWatcher, fstatSync, openSync, watch, writeSync } from "node:fs";
import { DtError } from "@dt/core";

/**
 * A file beside the database that is written whenever a group changes, so that other processes' file watchers wake up:
 * the operating system tells them, without polling and without a server. The database itself would not do: every
 * heartbeat writes it, and SQLite deletes the -wal file when the last process leaves. What it says is only "look": a
 * lost hint costs at most one sync interval.
 */
export class HintFile {
  readonly #path: string;
  #handle: number | undefined;
  readonly #watchers = new Set<FSWatcher>();

  constructor(databasePath: string) {
    this.#path = `${databasePath}-hints`;
  }

  /** Wakes every listener on this machine. Never throws: a hint that cannot be given is a hint lost. */
  write(): void {
    try {
      this.#handle ??= this.#open();
      writeSync(this.#handle, ".", 0);
    } catch {
      this.#closeHandle();
    }
  }

  /**
   * Calls back at every hint from now on, in this process and others, until `onLost`: the file was deleted or replaced,
   * or the operating system watches it no more.
   * @returns what ends it; hints go on
   * @throws DtError `DT_STORE_UNAVAILABLE` when the operating system cannot watch the file
   */
  listen(onHint: () => void, onLost: () => void): () => void {
    try {
      closeSync(this.#open());
      // Hints alone do not keep a process running.
      const watcher = watch(this.#path, { persistent: false }, (event) => {
        if (event !== "rename") return onHint();
        // Hints from now on come by another file.
        this.#closeHandle();
        onLost();
      });
      watcher.on("error", onLost);
      this.#watchers.add(watcher);
      return () => this.#mute(watcher);
    } catch (error) {
      throw new DtError(
        "DT_STORE_UNAVAILABLE",
        `${this.#path} cannot be watched for changes (${String(error)}); remove what stands there if it is no regular file, allow more file watchers (on Linux fs.inotify.max_user_watches and max_user_instances), or go without onHint()`,
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
   * every hint.
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
