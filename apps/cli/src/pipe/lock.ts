import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { Failure, UsageError } from "../exit-code.ts";

/**
 * Keeps a second process of this machine from the same outputs: their lines would mix. A lock that a crash left behind
 * counts no more. Returns how to let go.
 * @throws UsageError when a living process has one of them, or there is no such folder
 * @throws Failure when one cannot be written
 */
export function lockFiles(paths: readonly string[]): () => void {
  const held: string[] = [];
  const release = (): void => {
    for (const path of held) rmSync(path, { force: true });
  };
  try {
    for (const path of paths) {
      lock(path);
      held.push(path);
    }
  } catch (error) {
    release();
    throw error;
  }
  // The second Ctrl-C ends the process at once.
  process.once("exit", release);
  return () => {
    process.off("exit", release);
    release();
  };
}

function lock(path: string): void {
  const own = `${path}.${process.pid}`;
  try {
    // Linked into place with what it says: nobody finds a lock that does not name its owner yet.
    writeFileSync(own, `${process.pid}\n`);
    if (linked(own, path)) return;
    const owner = Number(readFileSync(path, "utf8"));
    if (isAnother(owner)) throw taken(owner, path);
    rmSync(path, { force: true });
    if (!linked(own, path)) throw taken(owner, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") throw new UsageError(`there is no folder ${dirname(path)}`);
    throw error instanceof UsageError ? error : new Failure(`${path} cannot be written: ${(error as Error).message}`);
  } finally {
    rmSync(own, { force: true });
  }
}

function taken(owner: number, path: string): UsageError {
  return new UsageError(`process ${owner} writes to the same files; if it does not, remove ${path}`);
}

function linked(own: string, path: string): boolean {
  try {
    linkSync(own, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** A container that begins anew may give this process the number of the one that crashed. */
function isAnother(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
