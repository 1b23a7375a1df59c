import { type Duration, type Runtime, systemRuntime } from "@dt/core";
import { checkDuration, checkInteger, checkKeys, checkName, checkRuntime, invalidOption } from "@dt/core/kit";

/** Options of {@link openCheckpoint}. */
export interface CheckpointOptions {
  /** The file that keeps how far the run went. One process a file. */
  readonly path: string;
  /**
   * The input, so that another one is not taken for it: a file, which may grow between runs, or a name of yours such as
   * `"orders of May"`.
   */
  readonly input: string | { readonly file: string };
  /**
   * Which part of the input this is, such as `"2/4"`: another part is not taken for it. Default: the whole, `"1/1"`.
   */
  readonly part?: string;
  /** The most records that may be done once more after a crash, besides those that are under way. Default 1,000. */
  readonly window?: number;
  /** The longest time between the end of a record and the checkpoint that has it. Default `"1s"`. */
  readonly interval?: Duration;
  /** Timers. Default: the real ones. */
  readonly runtime?: Runtime;
}

/** Options, checked. */
export interface CheckpointSettings {
  readonly path: string;
  readonly input: { readonly name: string } | { readonly file: string };
  readonly part: string;
  readonly window: number;
  readonly intervalMs: number;
  readonly runtime: Runtime;
}

const KNOWN: ReadonlySet<string> = new Set<keyof CheckpointOptions>([
  ...(["path", "input", "part", "window", "interval", "runtime"] as const),
]);
const KNOWN_OF_INPUT: ReadonlySet<string> = new Set(["file"]);

/** @throws DtError `DT_INVALID_OPTION` */
export function checkOptions(options: CheckpointOptions): CheckpointSettings {
  checkKeys("options", options, KNOWN);
  const { path, input, part = "1/1", window = 1_000, interval = "1s", runtime = systemRuntime } = options;
  if (typeof path !== "string" || path === "") throw invalidOption("path", path, "give the path of a file");
  return {
    path,
    input: checkInput(input),
    part: checkName("part", part),
    window: checkInteger("window", window, 1),
    intervalMs: checkDuration("interval", interval, 1),
    runtime: checkRuntime(runtime),
  };
}

function checkInput(input: CheckpointOptions["input"]): CheckpointSettings["input"] {
  if (typeof input === "string") return { name: checkName("input", input) };
  if (typeof input !== "object" || input === null)
    throw invalidOption("input", input, "give { file } or a name that no other input has");
  checkKeys("input", input, KNOWN_OF_INPUT, "input.");
  if (typeof input.file !== "string" || input.file === "")
    throw invalidOption("input.file", input.file, "give the path of the file that is read");
  return { file: input.file };
}
