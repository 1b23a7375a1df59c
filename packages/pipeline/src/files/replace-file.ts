import { open, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { syncFolder } from "./sync-folder.ts";

/**
 * Puts a text in place of a file's contents, or makes the file: whoever reads it, also after a crash or a power cut,
 * finds the old text or the new one, whole.
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.new`;
  const file = await open(temporary, "w");
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
  await syncFolder(dirname(path));
}
