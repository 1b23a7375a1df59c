import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { runStep } from "./child.mjs";
import { childEnvironment } from "./environment.mjs";
import { Problem, say } from "./problem.mjs";

/**
 * The folder to put first on PATH so that `pnpm` is the version pinned in package.json; undefined when PATH already has it.
 * Otherwise npm installs it once into `.cache/` of this repository: nothing global is touched.
 *
 * @param {string} root
 * @returns {Promise<string | undefined>}
 */
export async function pnpmFolder(root) {
  const version = pinnedVersion(root);
  if (versionOnPath() === version) return undefined;
  const folder = join(root, ".cache", `pnpm-${version}`);
  const bin = join(folder, "node_modules", ".bin");
  if (!existsSync(join(bin, "pnpm"))) await install(version, folder);
  return bin;
}

function pinnedVersion(root) {
  const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const version = /^pnpm@(\d+\.\d+\.\d+)/.exec(packageManager)?.[1];
  if (version === undefined) throw new Problem(`package.json: packageManager is "${packageManager}", not pnpm@x.y.z.`);
  return version;
}

/** Asked outside the repository: inside, pnpm would switch to the pinned version by downloading it. */
function versionOnPath() {
  try {
    return execFileSync("pnpm", ["--version"], {
      cwd: tmpdir(),
      env: childEnvironment([]),
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      timeout: 10_000,
    }).trim();
  } catch {
    return undefined;
  }
}

async function install(version, folder) {
  say(`fetching pnpm ${version} through npm into .cache/`);
  mkdirSync(dirname(folder), { recursive: true });
  const fresh = mkdtempSync(`${folder}-`);
  try {
    const [npm, ...first] = npmCommand();
    const args = [...first, "install", "--prefix", fresh, "--no-save", "--no-audit", "--no-fund", "--loglevel=error"];
    const options = { cwd: fresh, env: childEnvironment([]) };
    await runStep(`fetching pnpm ${version} through npm`, npm, [...args, `pnpm@${version}`], options);
    moveInto(fresh, folder);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/** Renaming makes the folder appear whole. Losing a race against a second bootstrap is fine: its folder is as good. */
function moveInto(fresh, folder) {
  try {
    renameSync(fresh, folder);
  } catch (error) {
    if (!existsSync(join(folder, "node_modules", ".bin", "pnpm"))) throw error;
  }
}

/** The npm that started this script, else the one on PATH. */
function npmCommand() {
  const npm = process.env.npm_execpath;
  return npm !== undefined && basename(npm) === "npm-cli.js" ? [process.execPath, npm] : ["npm"];
}
