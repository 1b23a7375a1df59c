import type { Duration, Runtime } from "@dt/core";
import { invalidOption, option, settingsOf, type TableOf } from "@dt/core/internal";
import type { Ending } from "../../ending.ts";
import { Batches } from "../batches.ts";
import { jsonOf, letterOf, type Shape } from "../letter.ts";
import type { Sink } from "../sink.ts";
import { LineFile } from "./line-file.ts";

/** When what was written is made safe from a power cut; a crash of the process alone costs nothing that was written. */
export type Fsync = "always" | "batch" | "never";

/** Options of {@link jsonlFile}. */
export interface JsonlFileOptions<Input = unknown, Result = unknown> {
  /** Appended to; made when it is not there. Its folder must be there. One process a file. */
  readonly path: string;
  /**
   * `"always"`: an ending counts as written when it is on the disk; endings that come together share one fsync.
   * `"batch"`: with each checkpoint, each flush, and at the end. `"never"`: when the system likes.
   * @default `"batch"`
   */
  readonly fsync?: Fsync;
  /**
   * Begins a new file when the next line would make it larger than `bytes`, or when it was opened longer than `age`
   * ago.
   * @default one file
   */
  readonly rotate?: { readonly bytes?: number; readonly age?: Duration };
  /**
   * What is written of an ending.
   * @default what the call returned, or `{ input, error }`
   */
  readonly line?: Shape<Input, Result>;
  /**
   * Clock and timers.
   * @default the real ones
   */
  readonly runtime?: Runtime;
}

const ROTATE = { bytes: option.integer(1).optional, age: option.duration(1).optional };

const FILE = {
  path: option.text("give the path of a file"),
  fsync: option.oneOf("always", "batch", "never").or("batch"),
  rotate: option.checked(checkRotate).optional,
  line: option.callback("give a function of an ending").optional,
  runtime: option.runtime,
} satisfies TableOf<JsonlFileOptions>;

/** What is in memory of lines that wait for the disk, at most; then the pipeline waits, too. */
const MOST_LINES = 4_096;
const MOST_BYTES = 2 ** 20;

/**
 * A sink that appends one line of JSON for each ending. When it is opened, half a line that a crash left at the end is
 * moved to `<path>.torn`. With each flush, and at the end, it makes sure that the file is still there under its name.
 * @param options the file, and how it is written
 * @throws DtError `DT_INVALID_OPTION`; its methods `DT_STORE_UNAVAILABLE` when the file cannot be written, or was
 * deleted, moved, replaced or made shorter meanwhile, `DT_STORE_DATA` when it is no file of lines
 * @example const sink = jsonlFile({ path: "failed.jsonl" });
 */
export function jsonlFile<Input, Result>(options: JsonlFileOptions<Input, Result>): Sink<Input, Result> {
  const { path, fsync, rotate, runtime } = settingsOf(FILE, options);
  const { line = letterOf } = options;
  const file = new LineFile({ path, rotate, sync: fsync !== "never", runtime });
  return new JsonlFile(file, fsync, line, runtime);
}

function checkRotate(name: string, given: unknown): { bytes: number; ageMs: number } {
  const { bytes, ageMs } = settingsOf(ROTATE, given as object, name, `${name}.`);
  if (bytes === undefined && ageMs === undefined) throw invalidOption(name, given, "give bytes, age or both");
  return { bytes: bytes ?? Number.POSITIVE_INFINITY, ageMs: ageMs ?? Number.POSITIVE_INFINITY };
}

class JsonlFile<Input, Result> implements Sink<Input, Result> {
  readonly #file: LineFile;
  readonly #fsync: Fsync;
  readonly #line: Shape<Input, Result>;
  readonly #lines: Batches<string>;

  constructor(file: LineFile, fsync: Fsync, line: Shape<Input, Result>, runtime: Runtime) {
    this.#file = file;
    this.#fsync = fsync;
    this.#line = line;
    const send = async (lines: readonly string[]): Promise<void> => {
      await file.append(lines);
      if (fsync === "always") await file.sync();
    };
    this.#lines = new Batches({ send, most: MOST_LINES, mostBytes: MOST_BYTES, lingerMs: 0, runtime });
  }

  open(): Promise<void> {
    return this.#file.open();
  }

  async write(ending: Ending<Input, Result>): Promise<void> {
    const line = `${jsonOf(this.#line(ending), ending)}\n`;
    await this.#lines.add(line, line.length);
    if (this.#fsync === "always") await this.#lines.flush();
  }

  async flush(): Promise<void> {
    await this.#lines.flush();
    if (this.#fsync === "batch") await this.#file.sync();
    await this.#file.check();
  }

  async close(): Promise<void> {
    try {
      await this.#lines.close();
      await this.flush();
    } finally {
      await this.#file.close();
    }
  }
}
