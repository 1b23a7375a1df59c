import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { loader } from "@dt-tooling/backends/source-process";

const root = join(import.meta.dirname, "../..");

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A script or the command line, running from the sources. */
export class Running {
  readonly process: ChildProcess;
  readonly finished: Promise<Finished>;
  #stdout = "";
  #stderr = "";

  constructor(script: string, args: readonly string[], env: NodeJS.ProcessEnv = {}, shell?: string) {
    const command = [process.execPath, "--import", loader, join(root, script), ...args];
    const [file = "", ...rest] = shell === undefined ? command : ["sh", "-c", shell, "sh", ...command];
    this.process = spawn(file, rest, {
      env: { ...process.env, NO_COLOR: "1", ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.process.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.#stdout += text;
    });
    this.process.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr += text;
    });
    this.finished = once(this.process, "close").then(([code, signal]) => ({
      code,
      signal,
      stdout: this.#stdout,
      stderr: this.#stderr,
    }));
  }

  get pid(): number {
    return this.process.pid ?? 0;
  }

  get stdout(): string {
    return this.#stdout;
  }

  get stderr(): string {
    return this.#stderr;
  }

  /** The processes that it started. */
  children(): { readonly pid: number; readonly command: string }[] {
    const table = execFileSync("ps", ["-A", "-ww", "-o", "pid=,ppid=,args="], { encoding: "utf8" });
    return [...table.matchAll(/^ *(\d+) +(\d+) +(.*)$/gm)]
      .filter(([, , parent]) => Number(parent) === this.process.pid)
      .map(([, pid, , command]) => ({ pid: Number(pid), command: command as string }));
  }

  kill(signal: NodeJS.Signals): void {
    this.process.kill(signal);
  }
}

/** Starts `dt` with these arguments. */
export function startDt(args: readonly string[], env?: NodeJS.ProcessEnv): Running {
  return new Running("src/main.ts", args, env);
}

/** Runs `dt` to its end in a shell, where it is `"$@"`. */
export function dtInShell(shell: string, ...args: string[]): Promise<Finished> {
  return new Running("src/main.ts", args, {}, shell).finished;
}

/** Runs `dt` to its end. */
export function dt(...args: string[]): Promise<Finished> {
  return startDt(args).finished;
}

/** Whether a process is there, be it as a zombie. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
