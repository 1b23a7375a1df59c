import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

const folder = new URL("../processes/", import.meta.url);
/** Lets plain Node run the packages' sources. */
export const loader = new URL("../../../../tooling/build-config/src/from-sources.ts", import.meta.url).href;

/** A real process that runs one of the scripts in test/processes from its sources. */
export class Child {
  readonly process: ChildProcess;
  readonly lines: string[] = [];
  readonly #exited: Promise<unknown>;
  readonly #waiting = new Set<() => void>();
  #errors = "";

  constructor(script: string, ...args: readonly string[]) {
    const command = ["--no-warnings", "--import", loader, new URL(`${script}.ts`, folder).pathname, ...args];
    this.process = spawn(process.execPath, command, { stdio: ["pipe", "pipe", "pipe"] });
    this.#exited = once(this.process, "exit");
    this.process.stderr?.on("data", (chunk: Buffer) => {
      this.#errors += chunk.toString();
    });
    createInterface({ input: this.process.stdout as NodeJS.ReadableStream }).on("line", (line) => {
      this.lines.push(line);
      for (const wake of this.#waiting) wake();
    });
    this.process.on("exit", () => {
      for (const wake of this.#waiting) wake();
    });
  }

  /** The first line that begins with `word`; fails when the process ends without it. */
  async line(word: string): Promise<string> {
    for (;;) {
      const found = this.lines.find((line) => line.startsWith(word));
      if (found !== undefined) return found;
      if (this.process.exitCode !== null || this.process.signalCode !== null)
        throw new Error(
          `the process ended (${this.process.exitCode ?? this.process.signalCode}) without a line ${word}\n${this.#errors}`,
        );
      await new Promise<void>((resolve) => {
        this.#waiting.add(resolve);
      });
      this.#waiting.clear();
    }
  }

  tell(line: string): void {
    this.process.stdin?.write(`${line}\n`);
  }

  async kill(): Promise<void> {
    this.process.kill("SIGKILL");
    await this.#exited;
  }

  /** Waits until the process ends by itself; gives its exit code, and fails with what it wrote on standard error when that is not 0. */
  async end(): Promise<void> {
    await this.#exited;
    if (this.process.exitCode !== 0)
      throw new Error(`the process ended with ${this.process.exitCode}\n${this.#errors}`);
  }
}
