import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "@dt-tooling/backends/chromium";

/** Keeps a picture of a page for people: in the folder that `DT_SCREENSHOTS` names, or in one for temporary files. */
export async function screenshot(page: Page, name: string): Promise<void> {
  const { DT_SCREENSHOTS: folder = join(tmpdir(), "dt-screenshots") } = process.env;
  await mkdir(folder, { recursive: true });
  const path = join(folder, `${name}.png`);
  await page.screenshot({ path, animations: "disabled", fullPage: true });
  process.stdout.write(`screenshot: ${path}\n`);
}
