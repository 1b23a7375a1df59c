import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { access, mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Sandbox } from "./sandbox.ts";

const run = promisify(execFile);

/** Beside what else is kept between runs of this repository. */
const KEPT = join(import.meta.dirname, "../../../node_modules/.cache/initdb");

/**
 * Fills a server's data folder. What `initdb` makes takes a second or two of a processor and is the same every time,
 * but for the password: it is made once, kept, and copied. With a password it is made for this server alone.
 *
 * @param command path of `initdb`
 * @param secret whether the file `password` of the sandbox has one that counts
 */
export async function fillDataFolder(command: string, sandbox: Sandbox, secret: boolean): Promise<void> {
  const data = sandbox.path("data");
  if (secret) return initdb(command, sandbox, data);
  const { stdout: version } = await run(command, ["--version"]);
  const key = createHash("sha256").update(`${command} ${version} ${sandbox.user?.uid}`).digest("hex").slice(0, 16);
  const kept = join(KEPT, key);
  if (!(await exists(kept))) await keep(command, sandbox, kept);
  // With owners and modes: PostgreSQL looks at both.
  await run("cp", ["-a", `${kept}/.`, data]);
}

/**
 * Makes a data folder to copy from. Of several who do so at the same time, one is first, and the others have the same.
 */
async function keep(command: string, sandbox: Sandbox, kept: string): Promise<void> {
  const made = await sandbox.makeFolder("initdb");
  await initdb(command, sandbox, made);
  await mkdir(KEPT, { recursive: true });
  const folder = await mkdtemp(join(KEPT, "made-"));
  try {
    await run("cp", ["-a", made, folder]);
    await rename(join(folder, "initdb"), kept).catch(async (error: unknown) => {
      if (!(await exists(kept))) throw error;
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
    await rm(made, { recursive: true, force: true });
  }
}

async function initdb(command: string, sandbox: Sandbox, data: string): Promise<void> {
  const { PATH: searchPath } = process.env;
  const args = ["-D", data, "--username=postgres", `--pwfile=${sandbox.path("password")}`];
  await run(command, [...args, "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"], {
    cwd: sandbox.folder,
    env: { PATH: searchPath, LC_ALL: "C" },
    ...sandbox.user,
  });
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
