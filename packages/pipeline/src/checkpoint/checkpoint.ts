import { rm } from "node:fs/promises";
import { DtError, type Timer } from "@dt/core";
import { listenTo } from "../live-source.ts";
import { readCheckpoint, type Saved, writeCheckpoint } from "./checkpoint-file.ts";
import { HEAD_BYTES, holds, type Identity, identityOfFile } from "./input-identity.ts";
import { type CheckpointOptions, type CheckpointSettings, checkCheckpointOptions } from "./options.ts";
import { NOTHING, type Position, Progress } from "./progress.ts";
import type { RecordTracker } from "./record-tracker.ts";

/**
 * Opens a checkpoint, or begins one.
 * @param options the file, the input and how often it is written
 * @throws DtError `DT_INVALID_OPTION` when an option is malformed, or the checkpoint is of another input or part;
 * `DT_STORE_DATA` when it is damaged
 * @example const checkpoint = await openCheckpoint({ path: "mail.checkpoint", input: { file: "mail.jsonl" } });
 */
export async function openCheckpoint(options: CheckpointOptions): Promise<Checkpoint> {
  const settings = checkCheckpointOptions(options);
  const saved = await readCheckpoint(settings.path);
  if (saved) await refuseOther(settings, saved);
  return new Checkpoint(settings, saved);
}

/**
 * How far a run went, in a file. A run that is begun again with it passes over what ended before the last save. What
 * ended later, at most `window` records, and what was under way is done once more: at least once, never not at all.
 */
export class Checkpoint implements RecordTracker {
  /** Whether there was a checkpoint to go on from. */
  readonly resumed: boolean;
  /** Where a source that can begin in the middle should begin. */
  readonly position: Position;
  /** Yours: any JSON, saved with each checkpoint as it is at that moment, and there again after a resume. */
  notes: unknown;
  readonly #settings: CheckpointSettings;
  readonly #progress: Progress;
  #flush: () => Promise<void> = async () => {};
  #started = false;
  /** Whether the source says where its records end. */
  #counted = false;
  #ended = 0;
  /** As many endings are in the checkpoint that was saved last. */
  #safe = 0;
  #saving: Promise<void> | undefined;
  #timer: Timer | undefined;
  #failure: { readonly error: unknown } | undefined;

  /** @internal */
  constructor(settings: CheckpointSettings, saved: Saved | undefined) {
    this.#settings = settings;
    this.#progress = new Progress(saved ?? NOTHING);
    this.resumed = saved !== undefined;
    this.position = this.#progress.position;
    this.notes = saved?.notes;
  }

  /**
   * The records of a source that have not ended yet, to be given to `throttled` with this checkpoint.
   * @param endOf for a source that begins at {@link position}: where the record that came last ends. Without it the
   * source begins with the first record.
   * @param source the records
   * @throws DtError `DT_INVALID_OPTION` when it is called twice
   */
  resume<T>(source: AsyncIterable<T> | Iterable<T>, endOf?: () => Position): AsyncIterable<T> {
    if (this.#started) throw new DtError("DT_INVALID_OPTION", "a checkpoint is for one source; open another one");
    this.#started = true;
    this.#counted = endOf !== undefined;
    return this.#rest(listenTo(source, this.#settings.runtime), endOf);
  }

  begin(flush: () => Promise<void>): void {
    this.#flush = flush;
  }

  async ended(index: number): Promise<void> {
    if (!this.#progress.ended(index)) {
      const remedy = "give throttled the source that checkpoint.resume(source) returns";
      throw new DtError("DT_INVALID_OPTION", `the checkpoint knows no record ${index}; ${remedy}`);
    }
    this.#ended += 1;
    const { window, intervalMs, runtime } = this.#settings;
    // Begun at half of the window, a checkpoint is mostly there before anybody has to wait for it.
    if (this.#unsafe * 2 >= window) this.#saveSoon();
    else this.#timer ??= runtime.setTimer(() => this.#saveSoon(), intervalMs, { keepAlive: false });
    while (this.#unsafe >= window && !this.#failure) {
      this.#saveSoon();
      await this.#saving;
    }
    this.#refuse();
  }

  /**
   * Saves now, after the sinks were flushed.
   * @throws the error of a sink or of the file system
   */
  async save(): Promise<void> {
    // One that is under way does not have what ended since it began.
    while (this.#saving) await this.#saving;
    this.#refuse();
    this.#saveSoon();
    await this.#saving;
    this.#refuse();
  }

  /** Deletes the file: the next run begins with the first record. */
  async remove(): Promise<void> {
    this.#timer?.cancel();
    await this.#saving;
    await rm(this.#settings.path, { force: true });
  }

  get #unsafe(): number {
    return this.#ended - this.#safe;
  }

  #refuse(): void {
    if (this.#failure) throw this.#failure.error;
  }

  async *#rest<T>(source: AsyncIterable<T> | Iterable<T>, endOf: (() => Position) | undefined): AsyncGenerator<T> {
    // Without positions the first records are counted, and passed over.
    let over = endOf ? 0 : this.position.records;
    for await (const record of source) {
      if (over > 0) over -= 1;
      else if (this.#progress.read(endOf?.() ?? { records: this.#progress.position.records + 1, bytes: 0 }))
        yield record;
    }
  }

  /** Begins to save, unless that is under way; never rejects. */
  #saveSoon(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#saving ??= this.#save().finally(() => {
      this.#saving = undefined;
    });
  }

  async #save(): Promise<void> {
    const { path, part } = this.#settings;
    const upTo = this.#ended;
    try {
      const saved = { ...this.#progress.done(), part, notes: structuredClone(this.notes) };
      const bytesRead = this.#counted ? this.#progress.position.bytes : HEAD_BYTES;
      // What the checkpoint says must be true: first the sinks, then the file.
      await this.#flush();
      await writeCheckpoint(path, { ...saved, input: await this.#identity(bytesRead) });
      this.#safe = upTo;
    } catch (error) {
      this.#failure = { error };
    }
  }

  async #identity(bytesRead: number): Promise<Identity> {
    const { input } = this.#settings;
    return "name" in input ? input : identityOfFile(input.file, bytesRead);
  }
}

async function refuseOther({ path, input, part }: CheckpointSettings, saved: Saved): Promise<void> {
  const remedy = "give the input and part of its first run, or another checkpoint to begin with the first record";
  if (saved.part !== part)
    throw new DtError(
      "DT_INVALID_OPTION",
      `the checkpoint ${path} is of part ${saved.part}, not of ${part}; ${remedy}`,
    );
  if (await isOf(saved.input, input)) return;
  const given = "name" in input ? input.name : input.file;
  throw new DtError("DT_INVALID_OPTION", `the checkpoint ${path} is of another input than ${given}; ${remedy}`);
}

async function isOf(saved: Identity, input: CheckpointSettings["input"]): Promise<boolean> {
  if ("name" in saved) return "name" in input && input.name === saved.name;
  return "file" in input && (await holds(input.file, [saved.head, saved.tail]));
}
