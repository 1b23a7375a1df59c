import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { until } from "@dt-tooling/backends";
import { parseLog, type WorkerLog } from "./log.ts";
import type { WorkerSettings } from "./settings.ts";

/** Lets plain Node run the packages' sources. */
const loader = new URL("../../build-config/src/from-sources.ts", import.meta.url).href;
const script = new URL("worker.ts", import.meta.url).pathname;
const machineMs = (): number => Number(process.hrtime.bigint()) / 1e6;

/** One worker, and what is done to it. */
export class WorkerProcess {
  readonly settings: WorkerSettings;
  readonly #process: ChildProcess;
  readonly #said = new Set<string>();
  readonly #stopped: [number, number][] = [];
  #errors = "";
  #over = false;
  #killed = false;
  #code: number | null = null;

  constructor(settings: WorkerSettings) {
    this.settings = settings;
    const args = ["--no-warnings", "--import", loader, script, JSON.stringify(settings)];
    this.#process = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "pipe"] });
    this.#process.stderr?.on("data", (chunk: Buffer) => {
      this.#errors += chunk.toString();
    });
    // One that has ended no longer reads.
    this.#process.stdin?.on("error", () => {});
    if (this.#process.stdout)
      createInterface({ input: this.#process.stdout }).on("line", (line) => this.#said.add(line));
    this.#process.on("close", (code) => {
      this.#over = true;
      this.#code = code;
    });
  }

  /** @throws Error when it ends without saying so, or does not by the deadline */
  async said(line: string, timeoutMs: number): Promise<void> {
    await this.#until(() => this.#said.has(line) || this.#over, `say ${line}`, timeoutMs);
    if (!this.#said.has(line)) throw new Error(`worker ${this.settings.worker} ended\n${this.#errors}`);
  }

  tell(line: string): void {
    this.#process.stdin?.write(`${line}\n`);
  }

  async kill(): Promise<void> {
    this.#killed = true;
    this.#process.kill("SIGKILL");
    await this.#until(() => this.#over, "end", 10_000);
  }

  /** Stands still for so long. */
  async standStill(ms: number): Promise<void> {
    const fromMs = machineMs();
    this.#process.kill("SIGSTOP");
    await new Promise((resolve) => setTimeout(resolve, ms));
    this.#process.kill("SIGCONT");
    this.#stopped.push([fromMs, machineMs()]);
  }

  /** Ends it, whatever it does. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#over) this.#process.kill("SIGKILL");
    await this.#until(() => this.#over, "end", 10_000);
  }

  /** Waits for it to end by itself. */
  async ended(timeoutMs: number): Promise<void> {
    await this.#until(() => this.#over, "end by itself", timeoutMs).catch(() => undefined);
  }

  log(): WorkerLog {
    const { worker, log } = this.settings;
    const entries = parseLog(readFileSync(log, "utf8"));
    const ended = this.#over && this.#code === 0;
    return { worker, entries, killed: this.#killed, ended, stoppedMs: this.#stopped };
  }

  async #until(done: () => boolean, what: string, timeoutMs: number): Promise<void> {
    await until(`worker ${this.settings.worker} should ${what} ${this.#errors}`, timeoutMs, done);
  }
}
