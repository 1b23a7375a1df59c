import { type ChildProcess, spawn } from "node:child_process";
import { open, readFile } from "node:fs/promises";
import type { Writable } from "node:stream";
import { PortTakenError } from "./ports.ts";
import { freezeTree, killTree, thawTree } from "./process-tree.ts";
import type { Sandbox } from "./sandbox.ts";
import { until } from "./until.ts";

/** How to start a server and how to tell that it answers. */
export interface LaunchPlan {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The signal for a graceful stop that keeps the data. Default SIGTERM. */
  readonly stopSignal?: NodeJS.Signals;
  /** Resolves when the server answers its own protocol; rejects as long as it does not. Bounds its own time. */
  readonly probe: () => Promise<unknown>;
}

const readyWithinMs = 30_000;
const graceMs = 60_000;
const logTailChars = 4_000;

// The server waits in this shell until the watchdog knows its process id; should we die before, `read` fails and
// nothing starts.
const gate = 'read -r go <&3 && exec "$@" 3<&-';

/** One server program in its sandbox: started, ended and started again, with the same pid rules each time. */
export class ServerProcess {
  readonly #sandbox: Sandbox;
  readonly #name: string;
  readonly #plan: () => LaunchPlan;
  #child: ChildProcess | undefined;
  #exited: Promise<void> = Promise.resolve();

  /** @param name what messages call it: "redis-server" */
  constructor(sandbox: Sandbox, name: string, plan: () => LaunchPlan) {
    this.#sandbox = sandbox;
    this.#name = name;
    this.#plan = plan;
  }

  /** `undefined` while the server does not run. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Starts the server and resolves when it answers. @throws Error with the end of the server's log. */
  async start(): Promise<void> {
    if (this.#child !== undefined) throw new Error(`${this.#name} runs already`);
    const plan = this.#plan();
    const child = await this.#spawn(plan);
    try {
      await until(`${this.#name} answers`, readyWithinMs, async () => {
        if (this.#child !== child) return "exited";
        await plan.probe();
        return "ready";
      });
      if (this.#child !== child)
        throw new Error(`${this.#name} ended at its start (exit ${child.exitCode ?? child.signalCode})`);
    } catch (error) {
      await this.kill();
      throw await this.#startError(error);
    }
  }

  /** Asks the server to end, and kills it if it has not within a minute. A stopped server is continued first. */
  async terminate(): Promise<void> {
    const child = this.#child;
    if (child?.pid === undefined) return;
    thawTree(child.pid);
    child.kill(this.#plan().stopSignal ?? "SIGTERM");
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<"late">((resolve) => {
      timer = setTimeout(() => resolve("late"), graceMs);
    });
    const outcome = await Promise.race([this.#exited, late]);
    clearTimeout(timer);
    if (outcome === "late") await this.kill();
  }

  async kill(): Promise<void> {
    const pid = this.#child?.pid;
    if (pid !== undefined) await killTree(pid);
    await this.#exited;
  }

  async pause(): Promise<void> {
    await freezeTree(this.#runningPid("pause"));
  }

  async resume(): Promise<void> {
    thawTree(this.#runningPid("resume"));
  }

  #runningPid(action: string): number {
    if (this.pid === undefined) throw new Error(`${action}: ${this.#name} does not run`);
    return this.pid;
  }

  async #spawn(plan: LaunchPlan): Promise<ChildProcess> {
    const { command, args, env } = plan;
    const { PATH: searchPath } = process.env;
    const log = await open(this.#sandbox.path("server.log"), "a");
    try {
      const child = spawn("sh", ["-c", gate, "sh", command, ...args], {
        cwd: this.#sandbox.folder,
        detached: true, // A session of its own: Ctrl-C is for us, and we stop the servers.
        env: { PATH: searchPath, LC_ALL: "C", ...env },
        stdio: ["ignore", log.fd, log.fd, "pipe"],
        ...this.#sandbox.user,
      });
      this.#exited = new Promise((resolve, reject) => {
        child.once("error", reject);
        child.once("exit", () => {
          if (this.#child === child) this.#child = undefined;
          this.#sandbox.watch(undefined).then(resolve, reject);
        });
      });
      this.#exited.catch(() => {}); // Whoever stops the server awaits it.
      this.#child = child;
      await this.#sandbox.watch(child.pid);
      const go = child.stdio[3] as Writable;
      go.on("error", () => {}); // A shell that could not start shows as an exit.
      go.end("go\n");
      return child;
    } finally {
      await log.close();
    }
  }

  async #startError(cause: unknown): Promise<Error> {
    const log = await readFile(this.#sandbox.path("server.log"), "utf8").catch(() => "(no log)");
    const message = `${this.#name} did not start: ${(cause as Error).message}\n--- end of its log ---\n${log.slice(-logTailChars)}`;
    const taken = /address (is )?already in use/i.test(log);
    return taken ? new PortTakenError(message, { cause }) : new Error(message, { cause });
  }
}
