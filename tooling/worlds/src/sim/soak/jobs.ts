import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Profile, Shares } from "../plan/plan.ts";
import type { Outcome } from "./run-seed.ts";

/** What a worker process is asked to do. */
export interface Job {
  readonly coreFolder: string;
  readonly profile: Profile;
  readonly shares: Shares;
  readonly seeds: readonly number[];
  /** Ends with the first seed that violates something. */
  readonly untilFailure: boolean;
}

/** How many seeds a worker takes at a time. */
const BATCH = 50;

/** A fixed number of worker processes that run seeds. */
export class Workers {
  readonly #children: ChildProcess[];
  readonly #idle: ChildProcess[];
  readonly #waiting: ((child: ChildProcess) => void)[] = [];

  constructor(count: number) {
    const file = fileURLToPath(new URL("./worker.ts", import.meta.url));
    this.#children = Array.from({ length: count }, () =>
      fork(file, { stdio: ["ignore", "inherit", "inherit", "ipc"] }),
    );
    this.#idle = [...this.#children];
  }

  /** Runs one batch on whichever worker is free. */
  async run(job: Job): Promise<readonly Outcome[]> {
    const child = this.#idle.pop() ?? (await new Promise<ChildProcess>((resolve) => this.#waiting.push(resolve)));
    try {
      return await ask(child, job);
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

function ask(child: ChildProcess, job: Job): Promise<readonly Outcome[]> {
  return new Promise((resolve, reject) => {
    const onMessage = (outcomes: unknown): void => {
      child.off("exit", onExit);
      resolve(outcomes as readonly Outcome[]);
    };
    const onExit = (code: number | null): void => {
      child.off("message", onMessage);
      reject(new Error(`a worker ended with ${code} while it ran seeds ${job.seeds[0]} and on`));
    };
    child.once("message", onMessage);
    child.once("exit", onExit);
    child.send(job);
  });
}

/** Seeds `from` to `from + count - 1` in batches. */
export function batches(from: number, count: number, size = BATCH): number[][] {
  const result: number[][] = [];
  for (let start = from; start < from + count; start += size)
    result.push(Array.from({ length: Math.min(size, from + count - start) }, (_, index) => start + index));
  return result;
}
