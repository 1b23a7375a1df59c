import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A folder that lasts as long as the test. */
export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "dt-cli-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
