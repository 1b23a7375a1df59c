import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { DEMO_PROCESS, type DemoRole } from "../commands/demo-process.ts";
import { OF_DEMO } from "./process/parent.ts";

/** How much of what a process writes to standard error is kept for the message about its end. */
const STDERR_KEPT = 4_000;

/** A process of the demo as the parent sees it: it is told lines, and tells lines of JSON. */
export class Child<Told extends { readonly type: string }> {
  readonly name: string;
  /** What it tells first, which is that it is ready. */
  readonly first: Promise<Told>;
  /** Resolves when it has ended and all that it told was read: with nothing when all was well, else with how. */
  readonly ended: Promise<string | undefined>;
  readonly #process: ChildProcessByStdio<Writable, Readable, Readable>;

  /** `onTold` is given every line that it tells, as they come. */
  constructor(entry: string, role: DemoRole, name: string, onTold: (told: Told) => void) {
    this.name = name;
    this.#process = spawn(process.execPath, [...process.execArgv, entry, DEMO_PROCESS, role], {
      stdio: ["pipe", "pipe", "pipe"],
      env: { ...process.env, [OF_DEMO]: "1" },
      // A session of its own: Ctrl-C in a terminal is for the parent alone, which then decides what happens.
      detached: true,
      windowsHide: true,
    });
    const { stdin, stdout, stderr } = this.#process;
    // An error means that the process has ended, which `ended` tells.
    stdin.on("error", () => undefined);
    let said = "";
    stderr.setEncoding("utf8").on("data", (text: string) => {
      said = (said + text).slice(-STDERR_KEPT);
    });
    this.first = new Promise((resolve) => {
      createInterface({ input: stdout }).on("line", (line) => {
        const told = toldIn(line) as Told | undefined;
        if (told === undefined) return;
        resolve(told);
        onTold(told);
      });
    });
    const exited = new Promise<string | undefined>((resolve) => {
      this.#process.once("error", (error) => resolve(error.message));
      this.#process.once("exit", (code, signal) => resolve(code === 0 ? undefined : howItEnded(code, signal)));
    });
    const read = [stdout, stderr].map((stream) => once(stream, "close"));
    this.ended = Promise.all([exited, ...read]).then(([how]) => how && [how, said.trim()].filter(Boolean).join(": "));
  }

  send(line: string): void {
    this.#process.stdin.write(`${line}\n`);
  }

  /** SIGKILL: no warning, no goodbye. */
  kill(): void {
    this.#process.kill("SIGKILL");
  }

  /** Ends the process: closes its standard input, which it takes as a request, and uses force after `withinMs`. */
  async end(withinMs: number): Promise<void> {
    this.#process.stdin.end();
    const timer = setTimeout(() => this.kill(), withinMs);
    await this.ended;
    clearTimeout(timer);
  }
}

/** A line that a kill cut off was never finished: its tokens were not used. */
function toldIn(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function howItEnded(code: number | null, signal: NodeJS.Signals | null): string {
  return signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
}
