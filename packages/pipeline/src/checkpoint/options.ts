import type { Duration, Runtime } from "@dt/core";
import { checkName, invalidOption, option, type Settings, settingsOf, type TableOf } from "@dt/core/internal";

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
   * Which part of the input this is, such as `"2/4"`: another part is not taken for it.
   * @default the whole, `"1/1"`
   */
  readonly part?: string;
  /**
   * The most records that may be done once more after a crash, besides those that are under way.
   * @default 1,000
   */
  readonly window?: number;
  /**
   * The longest time between the end of a record and the checkpoint that has it.
   * @default `"1s"`
   */
  readonly interval?: Duration;
  /**
   * Timers.
   * @default the real ones
   */
  readonly runtime?: Runtime;
}

/** Options, checked. */
export interface CheckpointSettings extends Settings<Omit<CheckpointOptions, "input">> {
  readonly input: { readonly name: string } | { readonly file: string };
}

const CHECKPOINT = {
  path: option.text("give the path of a file"),
  input: option.checked(checkInput),
  part: option.name.or("1/1"),
  window: option.integer(1).or(1_000),
  interval: option.duration(1).or("1s"),
  runtime: option.runtime,
} satisfies TableOf<CheckpointOptions>;

const FILE = { file: option.text("give the path of the file that is read") };

/** @throws DtError `DT_INVALID_OPTION` */
export function checkCheckpointOptions(options: CheckpointOptions): CheckpointSettings {
  return settingsOf(CHECKPOINT, options);
}

function checkInput(name: string, input: unknown): CheckpointSettings["input"] {
  if (typeof input === "string") return { name: checkName(name, input) };
  if (typeof input !== "object" || input === null)
    throw invalidOption(name, input, "give { file } or a name that no other input has");
  return settingsOf(FILE, input, name, `${name}.`);
}
