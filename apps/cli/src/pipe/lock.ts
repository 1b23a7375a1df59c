import { linkSync, lstatSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { UsageError } from "../exit-code.ts";

/**
 * Keeps a second process of this machine from the same outputs: their lines would mix. A lock that a crash left behind
 * counts no more. Returns how to let go.
 * @throws UsageError when a living process has one of them, there is no such folder, or one cannot be written
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
    // A new file, so that no link is followed; one of a process that crashed and had this number is removed.
    rmSync(own, { force: true });
    writeFileSync(own, `${process.pid}\n`, { flag: "wx" });
    if (linked(own, path)) return;
    const owner = ownerOf(path);
    if (isAnother(owner)) throw taken(owner, path);
    rmSync(path, { force: true });
    if (!linked(own, path)) throw taken(owner, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") throw new UsageError(`there is no folder ${dirname(path)}`);
    throw error instanceof UsageError
      ? error
      : new UsageError(`${path} cannot be written: ${(error as Error).message}`);
  } finally {
    rmSync(own, { force: true });
  }
}

/**
 * The process that made a lock; 0 when it is gone meanwhile.
 * @throws UsageError when it is no lock: it may be anything of the user's
 */
function ownerOf(path: string): number {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return 0;
  const text = found.isFile() && found.size < 20 ? readFileSync(path, "utf8") : "";
  if (/^\d+\n$/.test(text)) return Number(text);
  throw new UsageError(`${path} is there and is no lock of dt pipe; give other outputs, or move it away`);
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
