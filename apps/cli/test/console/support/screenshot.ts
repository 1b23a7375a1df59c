import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "@dt-tooling/backends/chromium";

/**
 * Keeps a picture of a page for people: in the folder that `DT_SCREENSHOTS` names, or in one for temporary files.
 * @param height of its upper part alone, in pixels; all of it where it is left out
 */
export async function screenshot(page: Page, name: string, height?: number): Promise<void> {
  const { DT_SCREENSHOTS: folder = join(tmpdir(), "dt-screenshots") } = process.env;
  await mkdir(folder, { recursive: true });
  const path = join(folder, `${name}.png`);
  const { width = 0 } = page.viewportSize() ?? {};
  const part = height === undefined ? { fullPage: true } : { clip: { x: 0, y: 0, width, height } };
  // What is at the top of the window is drawn where the page was scrolled to.
  await page.evaluate("scrollTo(0, 0)");
  await page.screenshot({ path, animations: "disabled", ...part });
  process.stdout.write(`screenshot: ${path}\n`);
}
