import { closeSync, openSync, writeSync } from "node:fs";
import type { Note } from "./entry.ts";

/**
 * An append-only log. Every entry is in the kernel's hands when `write` returns: a process that is killed an instant
 * later has still said what it was granted. (A crash of the machine would lose some; here only processes die.)
 */
export class LogWriter {
  readonly #fd: number;
  #n = 0;

  /** @throws Error when the file exists: every boot has its own */
  constructor(path: string) {
    this.#fd = openSync(path, "ax");
  }

  write(note: Note): void {
    this.#n += 1;
    writeSync(this.#fd, `${JSON.stringify({ n: this.#n, ...note })}\n`);
  }

  close(): void {
    closeSync(this.#fd);
  }
}
