import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A folder for one test, gone after it. */
export async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "dt-pipeline-"));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

/** The lines of a file, which ends with a newline. */
export async function linesOf(path: string): Promise<string[]> {
  const lines = (await readFile(path, "utf8")).split("\n");
  if (lines.pop() !== "") throw new Error(`${path} does not end with a newline`);
  return lines;
}
