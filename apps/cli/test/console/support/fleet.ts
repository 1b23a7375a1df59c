import { SourceProcess } from "@dt-tooling/backends/source-process";
import { type FleetNames, NAMES } from "./fleet-settings.ts";

const script = new URL("fleet-process.ts", import.meta.url);

/** Real processes which share limits on a Redis; all of them end with the block that it is used in. */
export class Fleet implements AsyncDisposable {
  readonly #url: string;
  readonly #names: FleetNames;
  readonly #members = new Map<string, SourceProcess>();

  /** @param names what is not called as usual */
  constructor(url: string, names: Partial<FleetNames> = {}) {
    this.#url = url;
    this.#names = { ...NAMES, ...names };
  }

  /** Starts processes by their labels, with the calls that each begins in a second; resolves when all take part. */
  async start(members: Readonly<Record<string, number>>): Promise<void> {
    const started = Object.entries(members).map(([label, perSecond]) => {
      const settings = { url: this.#url, label, perSecond, names: this.#names };
      const process = new SourceProcess(script, [JSON.stringify(settings)]);
      this.#members.set(label, process);
      return process.said("ready");
    });
    await Promise.all(started);
  }

  /** SIGKILL to one of them. */
  kill(label: string): Promise<void> {
    return this.#process(label).kill();
  }

  /** Lets one of them leave in order. */
  async leave(label: string): Promise<void> {
    const process = this.#process(label);
    process.tell("stop");
    await process.finished();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#members.values()].map((process) => process.kill()));
  }

  #process(label: string): SourceProcess {
    const process = this.#members.get(label);
    if (process === undefined) throw new Error(`the fleet has no process ${label}`);
    return process;
  }
}
