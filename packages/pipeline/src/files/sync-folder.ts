import { open } from "node:fs/promises";

/**
 * Makes new names in a folder safe from a power cut. Not on Windows, where folders cannot be opened and the system does
 * it by itself.
 */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
