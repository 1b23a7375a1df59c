import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SourceProcess } from "@dt-tooling/backends/source-process";
import { onTestFinished } from "vitest";

const gate = new URL("./gate.ts", import.meta.url);

/**
 * Starts a program of a page in several processes, which begin at the same moment in one folder. They end with the
 * test.
 * @param program its file below `src`, such as `limiter/before.mjs`
 * @param environment what it reads of its environment
 */
export async function startTogether(
  program: string,
  count: number,
  environment: Readonly<Record<string, string>>,
): Promise<readonly SourceProcess[]> {
  const { href } = new URL(`../../src/${program}`, import.meta.url);
  const folder = mkdtempSync(join(tmpdir(), "dt-coming-from-"));
  const args = [href, folder, JSON.stringify(environment)];
  const processes = Array.from({ length: count }, () => new SourceProcess(gate, args));
  onTestFinished(async () => {
    await Promise.all(processes.map((process) => process.kill()));
    rmSync(folder, { recursive: true, force: true });
  });
  await Promise.all(processes.map((process) => process.said("ready")));
  for (const process of processes) process.tell("go");
  return processes;
}
