import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { syncFolder } from "./sync-folder.ts";

/**
 * Puts a text in place of a file's contents, or makes the file: whoever reads it, also after a crash or a power cut,
 * finds the old text or the new one, whole. The new text is written to `<path>.new` first. What a crash left there is
 * removed, and a link is not followed.
 */
export async function replaceFile(path: string, text: string): Promise<void> {
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
