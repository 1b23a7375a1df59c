import { SourceProcess } from "@dt-tooling/backends/source-process";
import type { BudgetWorkerOptions } from "./budget-options.ts";

const script = new URL("./budget-worker.ts", import.meta.url);

/** A call that a process has made. */
export interface SpentCall {
  readonly cost: number;
  /** Its instant on the budget's clock. */
  readonly atMs: number;
  /** Between which times of the machine's monotonic clock that was. */
  readonly earliestMs: number;
  readonly latestMs: number;
}

/** A real process that runs `budget-worker.ts`. */
export class BudgetProcess {
  readonly spent: SpentCall[] = [];
  readonly failures: string[] = [];
  readonly #process: SourceProcess;

  constructor(options: BudgetWorkerOptions) {
    this.#process = new SourceProcess(script, [JSON.stringify(options)], (line) => this.#note(line.split(" ")));
  }

  /** Resolves when it waits to be told to begin. */
  async ready(): Promise<void> {
    await this.#process.said("ready");
  }

  begin(): void {
    this.#process.tell("begin");
  }

  signal(signal: "SIGSTOP" | "SIGCONT"): void {
    this.#process.signal(signal);
  }

  kill(): Promise<void> {
    return this.#process.kill();
  }

  /** Resolves when it has made all its calls. @throws Error with what it wrote on standard error when it fails */
  finished(): Promise<void> {
    return this.#process.finished();
  }

  #note([word, ...rest]: readonly string[]): void {
    const [cost = 0, atMs = 0, earliestMs = 0, latestMs = 0] = rest.map(Number);
    if (word === "spent") this.spent.push({ cost, atMs, earliestMs, latestMs });
    if (word === "failed") this.failures.push(rest.join(" "));
  }
}
