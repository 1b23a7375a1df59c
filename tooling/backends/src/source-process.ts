import { type ChildProcess, execFile, spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** Lets plain Node run the packages' sources. */
export const loader = new URL("../../bootstrap/src/from-sources.ts", import.meta.url).href;

/** How a program ended, and everything that it wrote. */
export interface Ended {
  /** The exit code; NaN where a signal ended it, or it did not start. */
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a script of this repository from its sources, to its end. */
export function runSource(script: URL, ...args: string[]): Promise<Ended> {
  const command = ["--no-warnings", "--import", loader, script.pathname, ...args];
  return new Promise((resolve) => {
    execFile(process.execPath, command, { maxBuffer: Number.POSITIVE_INFINITY }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code ?? Number.NaN) : 0, stdout, stderr });
    });
  });
}

interface Listener {
  readonly word: string;
  hear(line: string | undefined): void;
}

/** A real process that runs a script of this repository from its sources: it says lines, and is told lines. */
export class SourceProcess {
  readonly #process: ChildProcess;
  readonly #lines: string[] = [];
  readonly #listeners = new Set<Listener>();
  readonly #ended: Promise<void>;
  #over = false;
  #errors = "";

  /**
   * @param script its file
   * @param onLine hears every line that it says
   */
  constructor(script: URL, args: readonly string[], onLine: (line: string) => void = () => {}) {
    const command = ["--no-warnings", "--import", loader, script.pathname, ...args];
    const child = spawn(process.execPath, command, { stdio: ["pipe", "pipe", "pipe"] });
    this.#process = child;
    child.stderr.on("data", (chunk: Buffer) => {
      this.#errors += chunk.toString();
    });
    // One that has ended no longer reads.
    child.stdin.on("error", () => {});
    createInterface({ input: child.stdout }).on("line", (line) => {
      this.#lines.push(line);
      onLine(line);
      for (const listener of this.#listeners) if (begins(line, listener.word)) listener.hear(line);
    });
    this.#ended = new Promise((resolve) => {
      child.on("close", () => {
        this.#over = true;
        for (const listener of this.#listeners) listener.hear(undefined);
        resolve();
      });
    });
  }

  /** True once it has ended, and all that it said was read. */
  get over(): boolean {
    return this.#over;
  }

  /** Its exit code; null while it runs, and when a signal ended it. */
  get exitCode(): number | null {
    return this.#process.exitCode;
  }

  /**
   * What follows a word on the first line that begins with it, said already or to come.
   * @param timeoutMs milliseconds; five minutes, against hangs only, unless given
   * @throws Error with what it wrote on standard error, when it ends without saying so or does not within the time
   */
  async said(word: string, timeoutMs = 300_000): Promise<string> {
    const line = this.#lines.find((known) => begins(known, word)) ?? (await this.#next(word, timeoutMs));
    return line.slice(word.length + 1);
  }

  tell(line: string): void {
    this.#process.stdin?.write(`${line}\n`);
  }

  /** There is nothing more to tell. */
  endInput(): void {
    this.#process.stdin?.end();
  }

  signal(signal: "SIGSTOP" | "SIGCONT"): void {
    this.#process.kill(signal);
  }

  /** SIGKILL, if it has not ended by itself; resolves when it has ended. */
  async kill(): Promise<void> {
    if (!this.#over) this.#process.kill("SIGKILL");
    await this.#ended;
  }

  /**
   * Resolves when it has ended by itself.
   * @throws Error with what it wrote on standard error, unless its exit code is 0
   */
  async finished(): Promise<void> {
    await this.#ended;
    const { exitCode, signalCode } = this.#process;
    if (exitCode !== 0) throw new Error(`a process ended with ${exitCode ?? signalCode}\n${this.#errors}`);
  }

  #next(word: string, timeoutMs: number): Promise<string> {
    return new Promise((resolve, reject) => {
      const fail = (how: string): void => reject(new Error(`a process ${how} ${word}\n${this.#errors}`));
      if (this.#over) return fail("ended without saying");
      const timer = setTimeout(() => {
        this.#listeners.delete(listener);
        fail(`did not within ${timeoutMs} ms say`);
      }, timeoutMs);
      const listener: Listener = {
        word,
        hear: (line) => {
          clearTimeout(timer);
          this.#listeners.delete(listener);
          if (line === undefined) fail("ended without saying");
          else resolve(line);
        },
      };
      this.#listeners.add(listener);
    });
  }
}

function begins(line: string, word: string): boolean {
  return line === word || line.startsWith(`${word} `);
}
