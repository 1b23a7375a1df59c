import { readFileSync } from "node:fs";
import { SourceProcess } from "@dt-tooling/backends/source-process";
import { machineNow } from "../machine-now.ts";
import { parseLog, type WorkerLog } from "./log.ts";
import type { WorkerSettings } from "./settings.ts";

const script = new URL("worker.ts", import.meta.url);

/** One worker, and what is done to it. */
export class WorkerProcess {
  readonly settings: WorkerSettings;
  readonly #process: SourceProcess;
  readonly #stopped: [number, number][] = [];
  #killed = false;

  /** @param onLine receives every line that it says */
  constructor(settings: WorkerSettings, onLine?: (line: string) => void) {
    this.settings = settings;
    this.#process = new SourceProcess(script, [JSON.stringify(settings)], onLine);
  }

  /** @throws Error when it ends without saying so, or does not by the deadline */
  async said(line: string, timeoutMs: number): Promise<void> {
    await this.#process.said(line, timeoutMs);
  }

  tell(line: string): void {
    this.#process.tell(line);
  }

  async kill(): Promise<void> {
    this.#killed = true;
    await this.#process.kill();
  }

  /** Stands still for so long. */
  async standStill(ms: number): Promise<void> {
    const fromMs = machineNow();
    this.#process.signal("SIGSTOP");
    await new Promise((resolve) => setTimeout(resolve, ms));
    this.#process.signal("SIGCONT");
    this.#stopped.push([fromMs, machineNow()]);
  }

  /** Ends it, whatever it does. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#process.kill();
  }

  /** Waits for it to end by itself. */
  async ended(timeoutMs: number): Promise<void> {
    const late = new Promise((resolve) => setTimeout(resolve, timeoutMs).unref());
    await Promise.race([this.#process.finished().catch(() => undefined), late]);
  }

  log(): WorkerLog {
    const { worker, log } = this.settings;
    const entries = parseLog(readFileSync(log, "utf8"));
    const ended = this.#process.over && this.#process.exitCode === 0;
    return { worker, entries, killed: this.#killed, ended, stoppedMs: this.#stopped };
  }
}
