import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { until } from "./until.ts";

// PostgreSQL gives every backend a session of its own, so a process group does not reach them: the tree does.

const settleMs = 5_000;
const linux = process.platform === "linux";

/** The state letter of a process (R, S, T, Z, ...), or undefined when there is no such process. */
export function processState(pid: number): string | undefined {
  try {
    if (!linux) return execFileSync("ps", ["-o", "state=", "-p", String(pid)], { encoding: "utf8" }).trim()[0];
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.charAt(stat.lastIndexOf(")") + 2);
  } catch {
    return undefined;
  }
}

/** Whether the process runs (or is stopped). A zombie has ended: only its parent has not noticed yet. */
export function isAlive(pid: number): boolean {
  const state = processState(pid);
  return state !== undefined && state !== "Z" && state !== "X";
}

function childrenOf(pid: number): number[] {
  try {
    const listed = linux
      ? readdirSync(`/proc/${pid}/task`).map((task) => readFileSync(`/proc/${pid}/task/${task}/children`, "utf8"))
      : [execFileSync("pgrep", ["-P", String(pid)], { encoding: "utf8" })];
    return listed.join(" ").split(/\s+/).filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** The process and everything below it, parents first. */
export function processTree(pid: number): number[] {
  return [pid, ...childrenOf(pid).flatMap(processTree)];
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

const isStopped = (pid: number): boolean => processState(pid) === "T" || !isAlive(pid);

/**
 * Stops (SIGSTOP) a process and its descendants and returns them all. The root first, so that it cannot fork meanwhile.
 */
export async function freezeTree(root: number): Promise<number[]> {
  send(root, "SIGSTOP");
  await until(`process ${root} is stopped`, settleMs, () => isStopped(root));
  const tree = processTree(root);
  for (const pid of tree) send(pid, "SIGSTOP");
  await until(`the processes ${tree.join(", ")} are stopped`, settleMs, () => tree.every(isStopped));
  return tree;
}

/** Continues (SIGCONT) a frozen tree, children first. */
export function thawTree(root: number): void {
  for (const pid of processTree(root).reverse()) send(pid, "SIGCONT");
}

/**
 * Kills (SIGKILL) a process and its descendants, at the same moment as far as the others can tell, and waits for the
 * end.
 */
export async function killTree(root: number): Promise<void> {
  const tree = await freezeTree(root);
  for (const pid of tree) send(pid, "SIGKILL");
  await until(`the processes ${tree.join(", ")} have ended`, settleMs, () => !tree.some(isAlive));
}
