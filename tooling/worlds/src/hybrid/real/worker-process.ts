import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { WorkerOptions } from "./options.ts";

/** Lets plain Node run the packages' sources. */
const loader = new URL("../../../../build-config/src/from-sources.ts", import.meta.url).href;
const script = new URL("./worker.ts", import.meta.url).pathname;

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
  readonly #process: ChildProcess;
  readonly #exited: Promise<unknown>;
  readonly #started: Promise<void>;
  #errors = "";

  constructor(options: WorkerOptions) {
    const command = ["--no-warnings", "--import", loader, script, JSON.stringify(options)];
    this.#process = spawn(process.execPath, command, { stdio: ["pipe", "pipe", "pipe"] });
    this.#exited = once(this.#process, "exit");
    this.#process.stderr?.on("data", (chunk: Buffer) => {
      this.#errors += chunk.toString();
    });
    const lines = createInterface({ input: this.#process.stdout as NodeJS.ReadableStream });
    this.#started = new Promise((resolve, reject) => {
      lines.on("line", (line) => {
        const [word, epoch, tokens, atMs] = line.split(" ");
        if (word === "started") resolve();
        if (word === "grant")
          this.grants.push({ worker: options.id, epoch: Number(epoch), tokens: Number(tokens), atMs: Number(atMs) });
      });
      this.#process.on("exit", (code) => reject(new Error(`${options.id} ended with ${code}\n${this.#errors}`)));
    });
    this.#started.catch(() => {});
  }

  /** Resolves when the worker is a member. */
  started(): Promise<void> {
    return this.#started;
  }

  signal(signal: "SIGSTOP" | "SIGCONT"): void {
    this.#process.kill(signal);
  }

  async kill(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.#exited;
  }

  /** Lets the worker leave and end. @throws Error with what it wrote on standard error when it fails */
  async stop(): Promise<void> {
    this.#process.stdin?.end();
    await this.#exited;
    if (this.#process.exitCode !== 0) throw new Error(`a worker ended with ${this.#process.exitCode}\n${this.#errors}`);
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
