import { constants } from "node:fs";
import { access, type FileHandle, open, rename, stat } from "node:fs/promises";
import { dirname, join, parse } from "node:path";
import { DtError, isDtError, type Runtime } from "@dt/core";
import { syncFolder } from "../../files/sync-folder.ts";
import { mendTornLine } from "./torn-line.ts";

/** When a new file is begun. */
export interface RotateSettings {
  readonly bytes: number;
  readonly ageMs: number;
}

/** How a file of lines is kept. */
export interface LineFileSettings {
  readonly path: string;
  /** Undefined: one file for ever. */
  readonly rotate: RotateSettings | undefined;
  /** Whether files that are full, and new names in the folder, are made safe from a power cut. */
  readonly sync: boolean;
  readonly runtime: Runtime;
}

/**
 * A file to which whole lines are appended, by one caller at a time. A file that is full gets the next free number in
 * its name, `later.jsonl` becomes `later.1.jsonl`, and a new one is begun.
 */
export class LineFile {
  readonly #settings: LineFileSettings;
  #file: FileHandle | undefined;
  #size = 0;
  #openedAt = 0;
  #number = 1;
  #failure: DtError | undefined;

  constructor(settings: LineFileSettings) {
    this.#settings = settings;
  }

  /** Opens the file, or makes one. @throws DtError `DT_STORE_UNAVAILABLE`, `DT_STORE_DATA` */
  async open(): Promise<void> {
    await this.#attempt("opened", () => this.#opened());
  }

  /**
   * Lines have their newlines.
   * @throws DtError as {@link open}; the file then ends with a whole line, as far as that can be had
   */
  async append(lines: readonly string[]): Promise<void> {
    await this.#attempt("written", async () => {
      await this.#opened();
      let begin = 0;
      let bytes = 0;
      for (const [at, line] of lines.entries()) {
        const length = Buffer.byteLength(line);
        if (this.#isOver(bytes, length)) {
          await this.#write(lines.slice(begin, at), bytes);
          await this.#rotate();
          [begin, bytes] = [at, 0];
        }
        bytes += length;
      }
      await this.#write(lines.slice(begin), bytes);
    });
  }

  /** Makes what was appended safe from a power cut. */
  async sync(): Promise<void> {
    await this.#attempt("synced", async () => this.#file?.datasync());
  }

  /**
   * Makes sure that what was written can be found.
   * @throws DtError `DT_STORE_UNAVAILABLE` when the file was deleted, moved, replaced or made shorter
   */
  async check(): Promise<void> {
    await this.#attempt("kept", () => this.#inPlace());
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }

  async #opened(): Promise<FileHandle> {
    if (this.#file) return this.#file;
    const { path, sync, runtime } = this.#settings;
    // Appending, and reading for the sake of the last line.
    const file = await open(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT, 0o666);
    try {
      if (!(await file.stat()).isFile()) throw new Error("it is no regular file");
      this.#size = await mendTornLine(file, path);
      if (sync) await syncFolder(dirname(path));
    } catch (error) {
      await file.close();
      throw error;
    }
    this.#openedAt = runtime.now();
    this.#file = file;
    return file;
  }

  /**
   * Whether a line begins a new file, after so many bytes that are still to be written. An empty file is never over.
   */
  #isOver(waiting: number, length: number): boolean {
    const { rotate, runtime } = this.#settings;
    const size = this.#size + waiting;
    if (!rotate || size === 0) return false;
    return size + length > rotate.bytes || runtime.now() - this.#openedAt >= rotate.ageMs;
  }

  async #write(lines: readonly string[], bytes: number): Promise<void> {
    if (lines.length === 0) return;
    const file = await this.#opened();
    try {
      await file.appendFile(lines.join(""));
      this.#size += bytes;
    } catch (error) {
      // A full disk takes half a line: what comes next must not follow it.
      await file.truncate(this.#size).catch(() => {});
      throw error;
    }
  }

  async #inPlace(): Promise<void> {
    const [file, size] = [this.#file, this.#size];
    if (file === undefined) return;
    const [own, named] = await Promise.all([
      file.stat({ bigint: true }),
      stat(this.#settings.path, { bigint: true }).catch((error: NodeJS.ErrnoException) => {
        if (error.code === "ENOENT") return undefined;
        throw error;
      }),
    ]);
    // A new file was begun meanwhile: this one was looked at then.
    if (this.#file !== file) return;
    const lost = "what was written to it since it was opened may be lost";
    if (named?.ino !== own.ino || named.dev !== own.dev)
      throw new Error(`it was deleted, moved or replaced meanwhile: ${lost}`);
    if (own.size < size) throw new Error(`it was made shorter meanwhile: ${lost}`);
  }

  async #rotate(): Promise<void> {
    const { path, sync } = this.#settings;
    await this.#inPlace();
    if (sync) await this.#file?.datasync();
    await this.close();
    const { dir, name, ext } = parse(path);
    const numbered = (): string => join(dir, `${name}.${this.#number}${ext}`);
    while (await exists(numbered())) this.#number += 1;
    await rename(path, numbered());
    await this.#opened();
  }

  /**
   * The first failure is the last: an fsync that follows one that failed succeeds, although what the first one was for
   * is lost.
   */
  async #attempt(done: string, operation: () => Promise<unknown>): Promise<void> {
    if (this.#failure) throw this.#failure;
    try {
      await operation();
    } catch (error) {
      const problem = `${this.#settings.path} could not be ${done}: ${(error as Error).message}`;
      const details = { cause: error, effect: "unknown" } as const;
      this.#failure = isDtError(error) ? error : new DtError("DT_STORE_UNAVAILABLE", problem, details);
      throw this.#failure;
    }
  }
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
