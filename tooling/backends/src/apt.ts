import { spawn } from "node:child_process";
import { access, constants, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const script = fileURLToPath(new URL("./apt-install.sh", import.meta.url));
const lockFile = "/tmp/dt-backends-apt.lock";
const outputTailChars = 2_000;

/** Whether packages can be installed here: Debian or a descendant, and we are root. */
export async function canAptInstall(): Promise<boolean> {
  if (process.getuid?.() !== 0) return false;
  return access("/usr/bin/apt-get", constants.X_OK).then(
    () => true,
    () => false,
  );
}

/**
 * Installs a Debian package, announced on standard error, unless it is there by the time the lock is ours. The lock is
 * flock's: the kernel gives it back when its holder dies. Should we die, apt finishes: half an installation helps
 * nobody.
 * @throws Error with the end of apt's output
 */
export async function aptInstall(aptPackage: string, command: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "dt-apt-"));
  const output = join(folder, "output");
  try {
    const exit = await new Promise<number | NodeJS.Signals | null>((resolve, reject) => {
      const child = spawn("flock", [lockFile, "sh", script, aptPackage, command, output], {
        detached: true,
        stdio: ["ignore", "ignore", "inherit"],
      });
      child.on("error", reject);
      child.on("exit", (code, signal) => resolve(code ?? signal));
    });
    if (exit === 0) return;
    const log = await readFile(output, "utf8").catch(() => "(no output)");
    throw new Error(`apt-get install ${aptPackage} failed (${exit}): ${log.slice(-outputTailChars)}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
