import { cp, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { nodeBinary } from "@dt-tooling/bootstrap/node-binary";
import { command } from "../smoke/command.ts";
import type { CheckResult, PackedPackage } from "../smoke/index.ts";
import { manifestOf, PROJECTS, sharedFiles } from "./projects.ts";

/** An install fetches what this machine has not seen yet. */
const INSTALL_TIMEOUT_MS = 600_000;
const SCRIPT_TIMEOUT_MS = 900_000;

/**
 * Makes a user's project in an empty folder, installs the packed packages into it, and runs its scripts under Node 24.
 *
 * @param env where the servers are that the project's program talks to
 */
export async function checkProject(
  project: string,
  packages: readonly PackedPackage[],
  env: Readonly<Record<string, string>>,
  report: (result: CheckResult) => void = () => {},
): Promise<CheckResult[]> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), `dt-${project}-`)));
  const { PATH = "" } = process.env;
  const path = [join(folder, "node_modules/.bin"), dirname(nodeBinary(24)), PATH].join(delimiter);
  const options = { cwd: folder, env: { ...env, PATH: path, NEXT_TELEMETRY_DISABLED: "1", CI: "1", NO_COLOR: "1" } };
  const results: CheckResult[] = [];
  const tell = (result: CheckResult): void => {
    results.push(result);
    report(result);
  };
  try {
    await furnish(folder, project, packages);
    await command("pnpm", INSTALL, { ...options, timeoutMs: INSTALL_TIMEOUT_MS });
    for (const [name, script] of Object.entries(manifestOf(project).scripts))
      tell(await check(`${project}: ${name}`, () => runScript(script, options)));
  } catch (error) {
    tell({ name: `${project}: install`, status: "failed", reason: messageOf(error) });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return results;
}

const INSTALL = ["install", "--prefer-offline", "--ignore-scripts", "--no-frozen-lockfile", "--reporter=append-only"];

async function furnish(folder: string, project: string, packages: readonly PackedPackage[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  await cp(join(PROJECTS, project), folder, { recursive: true });
  for (const file of sharedFiles()) await cp(join(PROJECTS, file), join(folder, file));
  const overrides = Object.fromEntries(packages.map(({ manifest, tarball }) => [manifest.name, `file:${tarball}`]));
  // JSON is YAML, too.
  await writeFile(
    join(folder, "pnpm-workspace.yaml"),
    JSON.stringify({ packages: [], overrides, autoInstallPeers: false }),
  );
}

/** @throws Error with what it printed, when it fails or does not print `OK` */
export async function runScript(script: string, options: { cwd: string; env: Record<string, string> }): Promise<void> {
  const output = await command("sh", ["-c", script], { ...options, timeoutMs: SCRIPT_TIMEOUT_MS });
  if (!/^OK$/m.test(output)) throw new Error(`it did not print OK:\n${output}`);
}

async function check(name: string, action: () => Promise<void>): Promise<CheckResult> {
  try {
    await action();
    return { name, status: "passed" };
  } catch (error) {
    return { name, status: "failed", reason: messageOf(error) };
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
