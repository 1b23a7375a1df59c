import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Bug } from "./bug.ts";

/**
 * Copies core's sources and puts a bug in. The copy is the caller's to remove.
 * @throws Error when a place to change is not there exactly once: core has moved on, and the bug must follow
 */
export async function brokenCopy(coreFolder: string, bug: Bug): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `dt-sim-${bug.name}-`));
  try {
    await cp(coreFolder, folder, { recursive: true });
    for (const { file, from, to } of bug.changes) {
      const path = join(folder, file);
      await writeFile(path, changed(await readFile(path, "utf8"), from, to, `${bug.name}: ${file}`));
    }
    return folder;
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

function changed(text: string, from: string, to: string, what: string): string {
  const first = text.indexOf(from);
  if (first < 0) throw new Error(`${what} has no ${JSON.stringify(from)}; put the bug where the code is now`);
  if (text.indexOf(from, first + 1) >= 0) throw new Error(`${what} has more than one ${JSON.stringify(from)}`);
  return text.slice(0, first) + to + text.slice(first + from.length);
}
