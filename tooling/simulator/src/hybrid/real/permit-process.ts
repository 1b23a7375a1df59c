import { SourceProcess } from "@dt-tooling/backends/source-process";
import type { PermitWorkerOptions } from "./permit-options.ts";

const script = new URL("./permit-worker.ts", import.meta.url);

/** A real process that runs `permit-worker.ts`. */
export class PermitProcess {
  /** When it used a permit, on the machine's monotonic clock. */
  readonly usedMs: number[] = [];
  readonly failures: string[] = [];
  readonly #reserved = new Map<string, number[]>();
  readonly #process: SourceProcess;

  constructor(options: PermitWorkerOptions) {
    this.#process = new SourceProcess(script, [JSON.stringify(options)], (line) => this.#note(line.split(" ")));
  }

  /** Instants that it reserved and did not give back, on the key's clock. */
  get instants(): number[] {
    return [...this.#reserved.values()].flat();
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

  /** Resolves when it has taken all its permits. @throws Error with what it wrote on standard error when it fails */
  finished(): Promise<void> {
    return this.#process.finished();
  }

  #note([word, ...rest]: readonly string[]): void {
    const [id = "", second = ""] = rest;
    if (word === "used") this.usedMs.push(Number(id));
    if (word === "failed") this.failures.push(rest.join(" "));
    if (word === "reserved") {
      const instants = this.#reserved.get(id) ?? [];
      instants[Number(second)] = Number(rest[2]);
      this.#reserved.set(id, instants);
    }
    if (word === "released") this.#reserved.get(id)?.splice(Number(second));
  }
}

/** The distances between neighbours, ascending times or not. */
export function distances(times: readonly number[]): number[] {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted.slice(1).map((time, i) => time - (sorted[i] as number));
}
