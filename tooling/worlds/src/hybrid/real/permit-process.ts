import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { PermitWorkerOptions } from "./permit-options.ts";

/** Lets plain Node run the packages' sources. */
const loader = new URL("../../../../build-config/src/from-sources.ts", import.meta.url).href;
const script = new URL("./permit-worker.ts", import.meta.url).pathname;

/** A real process that runs `permit-worker.ts`. */
export class PermitProcess {
  /** When it used a permit, on the machine's monotonic clock. */
  readonly usedMs: number[] = [];
  readonly failures: string[] = [];
  readonly #reserved = new Map<string, number[]>();
  readonly #process: ChildProcess;
  readonly #ended: Promise<unknown>;
  readonly #ready: Promise<void>;
  #errors = "";

  constructor(options: PermitWorkerOptions) {
    const command = ["--no-warnings", "--import", loader, script, JSON.stringify(options)];
    this.#process = spawn(process.execPath, command, { stdio: ["pipe", "pipe", "pipe"] });
    this.#ended = once(this.#process, "close");
    this.#process.stderr?.on("data", (chunk: Buffer) => {
      this.#errors += chunk.toString();
    });
    const lines = createInterface({ input: this.#process.stdout as NodeJS.ReadableStream });
    this.#ready = new Promise((resolve, reject) => {
      lines.on("line", (line) => {
        const words = line.split(" ");
        if (words[0] === "ready") resolve();
        this.#note(words);
      });
      this.#process.on("exit", (code) => reject(new Error(`${options.id} ended with ${code}\n${this.#errors}`)));
    });
    this.#ready.catch(() => {});
  }

  /** Instants that it reserved and did not give back, on the key's clock. */
  get instants(): number[] {
    return [...this.#reserved.values()].flat();
  }

  /** Resolves when it waits to be told to begin. */
  ready(): Promise<void> {
    return this.#ready;
  }

  begin(): void {
    this.#process.stdin?.write("begin\n");
  }

  signal(signal: "SIGSTOP" | "SIGCONT"): void {
    this.#process.kill(signal);
  }

  async kill(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.#ended;
  }

  /** Resolves when it has taken all its permits. @throws Error with what it wrote on standard error when it fails */
  async finished(): Promise<void> {
    await this.#ended;
    if (this.#process.exitCode !== 0) throw new Error(`a worker ended with ${this.#process.exitCode}\n${this.#errors}`);
  }

  #note([word, ...rest]: readonly string[]): void {
    const [id = "", second = ""] = rest;
    if (word === "used") this.usedMs.push(Number(id));
    if (word === "failed") this.failures.push(rest.join(" "));
    if (word === "reserved") {
      const instants = this.#reserved.get(id) ?? [];
      instants[Number(second)] = Number(rest[2]);
      this.#reserved.set(id, instants);
    }
    if (word === "released") this.#reserved.get(id)?.splice(Number(second));
  }
}

/** The distances between neighbours, ascending times or not. */
export function distances(times: readonly number[]): number[] {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted.slice(1).map((time, i) => time - (sorted[i] as number));
}
