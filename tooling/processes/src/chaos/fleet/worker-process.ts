import type { ChildProcess } from "node:child_process";
import { runSource } from "../run-source.ts";
import type { ClockKind, FromWorker, ToWorker, WorkerConfig } from "../worker/config.ts";
import { FakedTime } from "./wall-clocks.ts";

/** How much of what a process writes to standard error is kept for the message about its end. */
const STDERR_KEPT = 4_000;

/** How a worker is started besides its own configuration. */
export interface Launch {
  /** A command to start it by: into a network namespace. */
  readonly prefix: readonly string[];
  readonly faked: FakedTime | undefined;
}

/** One worker process as the run sees it. */
export class WorkerProcess {
  readonly name: string;
  /** Resolves when the process has ended: with nothing when it left or was told to end, else with how it ended. */
  readonly ended: Promise<string | undefined>;
  /**
   * Resolves with the kind of its store's clock once it has joined its group; with nothing when it has ended before.
   */
  readonly joined: Promise<ClockKind | undefined>;
  /** Resolves when its caller was granted something for the first time; with nothing when it has ended before. */
  readonly granted: Promise<true | undefined>;
  readonly #process: ChildProcess;
  #killed = false;
  #exited = false;
  #stderr = "";

  constructor(name: string, config: WorkerConfig, { prefix, faked }: Launch) {
    this.name = name;
    this.#process = runSource("worker/main.ts", [JSON.stringify(config)], {
      prefix,
      stdio: ["ignore", "ignore", "pipe", "ipc"],
      env: { ...process.env, ...faked?.environment },
    });
    this.#process.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_KEPT);
    });
    this.joined = this.#told((message) => message.type === "joined" && message.clock);
    this.granted = this.#told((message) => message.type === "granted");
    this.ended = new Promise((resolve) => {
      this.#process.once("error", (error) => resolve(error.message));
      this.#process.once("exit", (code, signal) => {
        this.#exited = true;
        if (faked && this.#process.pid !== undefined) FakedTime.tidy(this.#process.pid);
        const fine = code === 0 || this.#killed;
        resolve(fine ? undefined : `${name} ended by ${signal ?? `exit code ${code}`}: ${this.#stderr.trim()}`);
      });
    });
  }

  /** True while the process is there. */
  get running(): boolean {
    return !this.#exited;
  }

  tell(message: ToWorker): void {
    // An error means that the process is gone, which `ended` tells.
    if (this.#process.connected) this.#process.send(message, () => undefined);
  }

  /** SIGSTOP: it stands still between two instructions. */
  pause(): void {
    this.#signal("SIGSTOP");
  }

  /** SIGCONT. */
  resume(): void {
    this.#signal("SIGCONT");
  }

  /** SIGKILL; resolves when it has ended. */
  async kill(): Promise<void> {
    this.#killed = true;
    this.#signal("SIGKILL");
    await this.ended;
  }

  /** What of a message is waited for, once one has it; nothing when the process has ended before. */
  #told<T>(of: (message: FromWorker) => T | false): Promise<T | undefined> {
    return new Promise((resolve) => {
      this.#process.on("message", (message: FromWorker) => {
        const found = of(message);
        if (found !== false) resolve(found);
      });
      this.#process.once("exit", () => resolve(undefined));
    });
  }

  #signal(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }
}
