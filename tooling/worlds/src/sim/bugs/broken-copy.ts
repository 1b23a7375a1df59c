import { cpSync } from "node:fs";
import { mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Bug, Edit } from "./bug.ts";

/**
 * Copies core's sources and puts a fault in. The copy is the caller's to remove.
 * @throws Error when a place to change is not there exactly once, or (when the copy is loaded) what a bug replaces is not there: core has moved on, and the bug must follow
 */
export async function brokenCopy(coreFolder: string, fault: Bug | Edit): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `dt-sim-${fault.name}-`));
  try {
    // Copying at once takes a third of the time of the asynchronous way, and a hundred copies are made in the tests.
    cpSync(coreFolder, folder, { recursive: true });
    if ("breaks" in fault) for (const file of Object.keys(fault.breaks)) await replaceExports(folder, file, fault);
    else for (const [file, text] of await editedFiles(coreFolder, fault)) await writeFile(join(folder, file), text);
    return folder;
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/**
 * The files that an edit changes, and what they become.
 * @throws Error when a place to change is not there exactly once
 */
export async function editedFiles(coreFolder: string, { name, changes }: Edit): Promise<ReadonlyMap<string, string>> {
  const edited = new Map<string, string>();
  for (const { file, from, to } of changes) {
    const text = edited.get(file) ?? (await readFile(join(coreFolder, file), "utf8"));
    edited.set(file, changed(text, from, to, `${name}: ${file}`));
  }
  return edited;
}

/** Puts a module in the place of a file's: it exports what the bug makes of the real one, and the rest of that as it is. */
async function replaceExports(folder: string, file: string, { name, breaks }: Bug): Promise<void> {
  const path = join(folder, file);
  const real = file.replace(/\.ts$/, ".real.ts");
  await rename(path, join(folder, real));
  const names = Object.keys(breaks[file as keyof typeof breaks] as object).join(", ");
  const inPlace = new URL("./in-place.ts", import.meta.url).href;
  const fromHere = `./${real.slice(real.lastIndexOf("/") + 1)}`;
  await writeFile(
    path,
    `import { inPlaceOf } from ${JSON.stringify(inPlace)};
import * as real from "${fromHere}";
export * from "${fromHere}";
export const { ${names} } = inPlaceOf(${JSON.stringify(name)}, ${JSON.stringify(file)}, real);
`,
  );
}

function changed(text: string, from: string, to: string, what: string): string {
  const first = text.indexOf(from);
  if (first < 0) throw new Error(`${what} has no ${JSON.stringify(from)}; put the bug where the code is now`);
  if (text.indexOf(from, first + 1) >= 0) throw new Error(`${what} has more than one ${JSON.stringify(from)}`);
  return text.slice(0, first) + to + text.slice(first + from.length);
}
