import { cpSync } from "node:fs";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Bug } from "./bug.ts";

/**
 * Copies core's sources and puts a bug in. The copy is the caller's to remove.
 * Loading it throws when what the bug replaces is not there: core has moved on, and the bug must follow.
 */
export async function brokenCopy(coreFolder: string, bug: Bug): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `dt-sim-${bug.name}-`));
  try {
    // Copying at once takes a third of the time of the asynchronous way, and a hundred copies are made in the tests.
    cpSync(coreFolder, folder, { recursive: true });
    for (const file of Object.keys(bug.breaks)) await replaceExports(folder, file, bug);
    return folder;
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

/**
 * Puts a module in the place of a file's: it exports what the bug makes of the real one, and the rest of that as it is.
 */
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
