import { linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Failure, UsageError } from "../exit-code.ts";

/**
 * Keeps a second process of this machine from the same outputs: both would send the same records. A lock that a crash left behind counts no more. Returns how to let go.
 * @throws UsageError when a living process has it
 * @throws Failure when it cannot be written
 */
export function lockFile(path: string): () => void {
  const own = `${path}.${process.pid}`;
  try {
    // Linked into place with what it says: nobody finds a lock that does not name its owner yet.
    writeFileSync(own, `${process.pid}\n`);
    if (!linked(own, path)) {
      const owner = Number(readFileSync(path, "utf8"));
      if (isAnother(owner)) throw taken(owner, path);
      rmSync(path, { force: true });
      if (!linked(own, path)) throw taken(owner, path);
    }
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new Failure(`${path} cannot be written: ${(error as Error).message}`);
  } finally {
    rmSync(own, { force: true });
  }
  const release = (): void => rmSync(path, { force: true });
  // The second Ctrl-C ends the process at once.
  process.once("exit", release);
  return () => {
    process.off("exit", release);
    release();
  };
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
