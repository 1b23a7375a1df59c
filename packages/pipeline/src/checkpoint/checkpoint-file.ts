import { createHash } from "node:crypto";
import { open, readFile, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { DtError } from "@dt/core";
import { syncFolder } from "../files/sync-folder.ts";
import type { Identity } from "./input-identity.ts";
import type { Done } from "./progress.ts";

/** What a checkpoint file holds. */
export interface Saved extends Done {
  readonly input: Identity;
  readonly part: string;
  /** The user's own. */
  readonly notes: unknown;
}

const FORMAT = "dt-pipeline-checkpoint";
const VERSION = 1;

/** @throws what the file system says */
export async function writeCheckpoint(path: string, saved: Saved): Promise<void> {
  const body = JSON.stringify({ format: FORMAT, version: VERSION, ...saved });
  await replaceFile(path, `${JSON.stringify({ sha256: sumOf(body), body })}\n`);
}

/**
 * What was saved; undefined when there is no such file.
 * @throws DtError `DT_STORE_DATA` when the file is damaged, of another kind or of a newer version
 */
export async function readCheckpoint(path: string): Promise<Saved | undefined> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw unusable(path, `cannot be read: ${(error as Error).message}`, error);
  }
  const { format, version, ...saved } = bodyOf(path, text);
  if (format !== FORMAT) throw unusable(path, "is no checkpoint of a pipeline");
  if (version !== VERSION)
    throw new DtError(
      "DT_STORE_DATA",
      `the checkpoint ${path} is of version ${version}; a newer release wrote it: update this one`,
    );
  return saved as unknown as Saved;
}

function bodyOf(path: string, text: string): Record<string, unknown> {
  try {
    const { sha256, body } = JSON.parse(text) as { readonly sha256?: unknown; readonly body?: unknown };
    if (typeof body === "string" && sumOf(body) === sha256) return JSON.parse(body) as Record<string, unknown>;
  } catch (error) {
    throw unusable(path, "is damaged", error);
  }
  throw unusable(path, "is damaged");
}

function unusable(path: string, problem: string, cause?: unknown): DtError {
  const remedy =
    "put it back from a copy, or delete it to begin with the first record again: everything is then done once more";
  return new DtError("DT_STORE_DATA", `the checkpoint ${path} ${problem}; ${remedy}`, { cause });
}

function sumOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/**
 * Puts a text in place of a file's contents, or makes the file: whoever reads it, also after a crash or a power cut,
 * finds the old text or the new one, whole. The new text is written to `<path>.new` first. What a crash left there is
 * removed, and a link is not followed.
 */
async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.new`;
  await rm(temporary, { force: true });
  const file = await open(temporary, "wx");
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
  await syncFolder(dirname(path));
}
