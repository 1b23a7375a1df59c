import { writeSync } from "node:fs";

/** What a worker writes down as it happens; times on the machine's monotonic clock. */
export type Entry =
  /** It is about to register with the group. */
  | { readonly type: "joining"; readonly atMs: number }
  /** Tokens were granted; written before the request that uses them is sent. */
  | { readonly type: "grant"; readonly atMs: number; readonly epoch: number; readonly tokens: number }
  /** Tokens came back in the epoch of their grant, to be granted again. */
  | { readonly type: "returned"; readonly atMs: number; readonly epoch: number; readonly tokens: number }
  /** What the throttle says of its share, whenever it says something new. */
  | ShareEntry
  /** Something went wrong and the worker went on: a call to the store, a wait for tokens, a request. */
  | { readonly type: "trouble"; readonly atMs: number; readonly what: string; readonly message: string }
  /** It has left the group and its last request is answered. */
  | { readonly type: "left"; readonly atMs: number };

export interface ShareEntry {
  readonly type: "share";
  readonly atMs: number;
  readonly epoch: number;
  readonly tokens: number;
  readonly agreed: boolean;
  readonly generation: number;
  readonly poolSize: number;
}

/**
 * A worker's journal: a pipe to the parent. Every entry is in the kernel's hands when `write` returns, so that a worker
 * that is killed an instant later has still said what it was granted.
 */
export class Journal {
  readonly #fd: number;

  constructor(fd: number) {
    this.#fd = fd;
  }

  write(entry: Entry): void {
    try {
      writeSync(this.#fd, `${JSON.stringify(entry)}\n`);
    } catch (error) {
      // The parent is gone; that the channel to it closed ends this process.
      if ((error as NodeJS.ErrnoException).code !== "EPIPE") throw error;
    }
  }
}

/**
 * Puts a journal's entries together from the pieces they arrive in. An entry without its end was never finished: its
 * tokens were not used.
 */
export class JournalReader {
  #rest = "";

  read(piece: string): Entry[] {
    const lines = (this.#rest + piece).split("\n");
    this.#rest = lines.pop() as string;
    return lines.map((line) => JSON.parse(line) as Entry);
  }
}
