import { type ChildProcess, type SpawnOptions, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { loader } from "@dt-tooling/backends/source-process";

/** Linux: the kernel kills a process whose parent has died, also one that is stopped and could not notice. */
const SETPRIV = "/usr/bin/setpriv";
const DIES_WITH_PARENT = existsSync(SETPRIV) ? [SETPRIV, "--pdeathsig", "KILL"] : [];

/** How to start a program besides its arguments. */
export interface SourceOptions extends SpawnOptions {
  /** A command to start it by, such as one that enters a network namespace. */
  readonly prefix?: readonly string[];
}

/**
 * Starts a program of this package, from source, in a process that does not outlive this one. `file` is relative to
 * `src`.
 */
export function runSource(file: string, args: readonly string[], options: SourceOptions): ChildProcess {
  const { prefix = [], ...rest } = options;
  const program = fileURLToPath(new URL(file, import.meta.url));
  const [command = process.execPath, ...before] = [...DIES_WITH_PARENT, ...prefix, process.execPath];
  // A session of its own: Ctrl-C in a terminal is for the parent, which then ends what it started.
  return spawn(command, [...before, "--import", loader, program, ...args], { detached: true, ...rest });
}
