import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";

/** A fixed number of worker processes that each run one module, and one job at a time. */
export class Workers<Job, Answer> {
  readonly #children: ChildProcess[];
  readonly #idle: ChildProcess[];
  readonly #waiting: ((child: ChildProcess) => void)[] = [];

  /** @param module answers each message with one of its own */
  constructor(count: number, module: URL) {
    this.#children = Array.from({ length: count }, () =>
      fork(fileURLToPath(module), { stdio: ["ignore", "inherit", "inherit", "ipc"] }),
    );
    this.#idle = [...this.#children];
  }

  /**
   * Runs a job on whichever worker is free.
   * @param what it is, for the error when a worker ends meanwhile
   */
  async run(job: Job, what: string): Promise<Answer> {
    const child = this.#idle.pop() ?? (await new Promise<ChildProcess>((resolve) => this.#waiting.push(resolve)));
    try {
      return await ask(child, job, what);
    } finally {
      const next = this.#waiting.shift();
      if (next) next(child);
      else this.#idle.push(child);
    }
  }

  close(): void {
    for (const child of this.#children) if (child.connected) child.disconnect();
  }
}

function ask<Answer>(child: ChildProcess, job: unknown, what: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const onMessage = (answer: unknown): void => {
      child.off("exit", onExit);
      resolve(answer as Answer);
    };
    const onExit = (code: number | null): void => {
      child.off("message", onMessage);
      reject(new Error(`a worker ended with ${code} while it ran ${what}`));
    };
    child.once("message", onMessage);
    child.once("exit", onExit);
    child.send(job as object);
  });
}
