import { type ChildProcess, fork } from "node:child_process";

/** Against hangs only, in milliseconds: a slow machine may take minutes to start a fleet. */
const PATIENCE_MS = 600_000;

/** A process of the fleet: one message after the other, in either direction. */
export class FleetProcess {
  readonly #process: ChildProcess;
  readonly #messages: unknown[] = [];
  #ended = false;
  #wake: () => void = () => undefined;

  /** @param script its file */
  constructor(script: string, args: readonly string[]) {
    this.#process = fork(script, args, { stdio: ["ignore", 2, 2, "ipc"] });
    this.#process.on("message", (message) => {
      this.#messages.push(message);
      this.#wake();
    });
    this.#process.on("exit", () => {
      this.#ended = true;
      this.#wake();
    });
  }

  tell(message: object): void {
    this.#process.send(message);
  }

  /**
   * What it says next.
   * @throws Error when it ends, or says nothing for ten minutes
   */
  async hear<T>(): Promise<T> {
    const dueMs = performance.now() + PATIENCE_MS;
    while (this.#messages.length === 0) {
      const leftMs = dueMs - performance.now();
      if (this.#ended) throw new Error("a process of the fleet ended before its time");
      if (leftMs <= 0) throw new Error(`a process of the fleet said nothing for ${PATIENCE_MS} ms`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, leftMs);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    return this.#messages.shift() as T;
  }

  /** Resolves when it has ended. */
  async stop(): Promise<void> {
    if (this.#ended) return;
    const ended = new Promise((resolve) => this.#process.once("exit", resolve));
    this.#process.kill("SIGKILL");
    await ended;
  }
}
