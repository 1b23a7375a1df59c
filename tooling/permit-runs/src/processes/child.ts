import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** Lets plain Node run the packages' sources. */
const loader = new URL("../../../build-config/src/from-sources.ts", import.meta.url).href;

/** A real process that runs one of the scripts in this folder. */
export class Child {
  readonly #process: ChildProcess;
  readonly #exited: Promise<void>;
  readonly #lines: string[] = [];
  readonly #waiting = new Set<() => void>();
  #over = false;
  #errors = "";

  /** @param onUsed hears of every permit that the process used */
  constructor(script: string, argument?: object, onUsed: () => void = () => {}) {
    const path = new URL(`${script}.ts`, import.meta.url).pathname;
    const args = ["--no-warnings", "--import", loader, path, ...(argument ? [JSON.stringify(argument)] : [])];
    const child = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "pipe"] });
    this.#process = child;
    child.stderr.on("data", (chunk: Buffer) => {
      this.#errors += chunk.toString();
    });
    // One that has ended no longer reads.
    child.stdin.on("error", () => {});
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (line === "used") return onUsed();
      this.#lines.push(line);
      this.#wake();
    });
    this.#exited = new Promise((resolve) => {
      child.on("close", () => {
        this.#over = true;
        this.#wake();
        resolve();
      });
    });
  }

  /** What follows a word on the first line that begins with it. @throws Error when the process ends without it, or by the deadline */
  async said(word: string, timeoutMs: number): Promise<string> {
    const deadlineMs = performance.now() + timeoutMs;
    for (;;) {
      const found = this.#lines.find((line) => line === word || line.startsWith(`${word} `));
      if (found !== undefined) return found.slice(word.length + 1);
      if (this.#over) throw new Error(`a process ended without saying ${word}\n${this.#errors}`);
      const leftMs = deadlineMs - performance.now();
      if (leftMs <= 0) throw new Error(`a process did not say ${word} within ${timeoutMs} ms\n${this.#errors}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, leftMs);
        this.#waiting.add(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }

  tell(line: string): void {
    this.#process.stdin?.write(`${line}\n`);
  }

  /** Ends it if it has not ended by itself. */
  async stop(): Promise<void> {
    if (!this.#over) this.#process.kill("SIGKILL");
    await this.#exited;
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}
