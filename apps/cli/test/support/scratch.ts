import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/**
 * A folder that lasts as long as the test.
 * @param finished the test's own `onTestFinished`; a test that runs beside others of its file must give it
 */
export function scratchFolder(finished: typeof onTestFinished = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), "dt-cli-test-"));
  finished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
