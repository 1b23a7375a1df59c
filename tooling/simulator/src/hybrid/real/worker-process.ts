import { SourceProcess } from "@dt-tooling/backends/source-process";
import type { WorkerOptions } from "./options.ts";

const script = new URL("./worker.ts", import.meta.url);

/** Tokens that a worker was granted at once. */
export interface Grant {
  readonly worker: string;
  readonly epoch: number;
  readonly tokens: number;
  /** The machine's monotonic time. */
  readonly atMs: number;
}

/** A real process that runs `worker.ts`. */
export class WorkerProcess {
  readonly grants: Grant[] = [];
  readonly #process: SourceProcess;

  constructor(options: WorkerOptions) {
    this.#process = new SourceProcess(script, [JSON.stringify(options)], (line) => {
      const [word, epoch, tokens, atMs] = line.split(" ");
      if (word !== "grant") return;
      this.grants.push({ worker: options.id, epoch: Number(epoch), tokens: Number(tokens), atMs: Number(atMs) });
    });
  }

  /** Resolves when the worker is a member. */
  async started(): Promise<void> {
    await this.#process.said("started");
  }

  signal(signal: "SIGSTOP" | "SIGCONT"): void {
    this.#process.signal(signal);
  }

  kill(): Promise<void> {
    return this.#process.kill();
  }

  /** Lets the worker leave and end. @throws Error with what it wrote on standard error when it fails */
  stop(): Promise<void> {
    this.#process.endInput();
    return this.#process.finished();
  }
}

/** The most tokens that were granted under one epoch's number, by all workers together. */
export function mostInAnEpoch(grants: readonly Grant[]): number {
  const sums = new Map<number, number>();
  for (const { epoch, tokens } of grants) sums.set(epoch, (sums.get(epoch) ?? 0) + tokens);
  return Math.max(0, ...sums.values());
}

/** The longest real time over which the grants of one epoch are spread. */
export function longestEpochMs(grants: readonly Grant[]): number {
  const spans = new Map<number, { first: number; last: number }>();
  for (const { epoch, atMs } of grants) {
    const span = spans.get(epoch) ?? { first: atMs, last: atMs };
    spans.set(epoch, { first: Math.min(span.first, atMs), last: Math.max(span.last, atMs) });
  }
  return Math.max(0, ...[...spans.values()].map(({ first, last }) => last - first));
}

/** The most tokens that were granted within any stretch of real time of this length. */
export function mostWithin(grants: readonly Grant[], lengthMs: number): number {
  const sorted = [...grants].sort((a, b) => a.atMs - b.atMs);
  let most = 0;
  let sum = 0;
  let from = 0;
  for (const grant of sorted) {
    sum += grant.tokens;
    while ((sorted[from] as Grant).atMs <= grant.atMs - lengthMs) sum -= (sorted[from++] as Grant).tokens;
    most = Math.max(most, sum);
  }
  return most;
}
