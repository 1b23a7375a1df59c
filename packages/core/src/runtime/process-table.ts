import type { ProcessTable } from "./runtime.ts";

/** The part of Node's `process` that is used here; none of it need be there. */
export interface ProcessLike {
  readonly platform?: string;
  readonly pid?: number;
  kill?(pid: number, signal: 0): unknown;
  // biome-ignore lint/suspicious/noExplicitAny: modules of Node's, whose types bundles for browsers do not have.
  getBuiltinModule?(name: string): any;
}

/** In `/proc/<pid>/stat`, after the name in parentheses: the process's start, in clock ticks since the machine's. */
const START_FIELD = 19;

/**
 * The processes of this machine, by `/proc`: Linux alone. A name tells a process from all others: the boot of the
 * machine, the pid namespace (containers count pids of their own), the pid, and when it was started (pids come again).
 * Undefined where any of that cannot be read. No import of Node's modules: bundles for browsers would not load.
 */
export function processTableOf(process: ProcessLike | undefined): ProcessTable | undefined {
  if (process?.platform !== "linux") return undefined;
  try {
    const fs = process.getBuiltinModule?.("node:fs");
    const startOf = (pid: number): string => {
      const stat: string = fs.readFileSync(`/proc/${pid}/stat`, "utf8");
      return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[START_FIELD] as string;
    };
    // A `/proc` of another namespace shows other processes under these pids.
    if (fs.readlinkSync("/proc/self") !== String(process.pid)) return undefined;
    const boot: string = fs.readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    const namespace: string = fs.readlinkSync("/proc/self/ns/pid");
    const hash = process.getBuiltinModule?.("node:crypto").createHash("sha256");
    const machine: string = hash.update(`${boot} ${namespace}`).digest("base64url").slice(0, 12);
    const self = `${machine}.${process.pid}.${startOf(process.pid as number)}`;
    return { self, isOver: (name) => isOver(name, machine, process, startOf) };
  } catch {
    return undefined;
  }
}

function isOver(name: string, machine: string, process: ProcessLike, startOf: (pid: number) => string): boolean {
  const [where, digits = "", started, ...rest] = name.split(".");
  const pid = Number(digits);
  if (where !== machine || !started || rest.length > 0 || !Number.isSafeInteger(pid) || pid < 1) return false;
  try {
    process.kill?.(pid, 0);
    // One that ends between the two looks cannot be read: the next look will tell.
    return startOf(pid) !== started;
  } catch (error) {
    return (error as { readonly code?: unknown }).code === "ESRCH";
  }
}
