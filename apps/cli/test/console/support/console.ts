import { until } from "@dt-tooling/backends";
import { type Finished, type Running, startDt } from "../../support/cli.ts";

/** `dt console` as a process of its own, which ends with the block that it is used in. */
export class RunningConsole implements AsyncDisposable {
  /** The address that it printed, with the token. */
  readonly url: string;
  readonly #process: Running;

  private constructor(url: string, process: Running) {
    this.url = url;
    this.#process = process;
  }

  /** @throws Error with what it wrote, where it ends before it prints its address */
  static async start(store: string, ...flags: string[]): Promise<RunningConsole> {
    const process = startDt(["console", store, "--json", ...flags]);
    let ended: Finished | undefined;
    void process.finished.then((result) => {
      ended = result;
    });
    const line = await until("the console prints its address", 30_000, () => {
      if (ended) return "ended";
      return process.stdout.endsWith("\n") && process.stdout;
    });
    if (ended) throw new Error(`dt console ended with ${ended.code ?? ended.signal}: ${ended.stderr}`);
    return new RunningConsole((JSON.parse(line) as { url: string }).url, process);
  }

  /** The address without the token. */
  get origin(): string {
    return new URL(this.url).origin;
  }

  get token(): string {
    return new URL(this.url).searchParams.get("token") ?? "";
  }

  /** Ends it as Ctrl-C does. */
  async stop(): Promise<Finished> {
    this.#process.kill("SIGINT");
    return this.#process.finished;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}
