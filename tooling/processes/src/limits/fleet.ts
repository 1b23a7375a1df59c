import { setTimeout as sleep } from "node:timers/promises";
import { SourceProcess } from "@dt-tooling/backends/source-process";
import type { StartedStore } from "../permits/stores/permit-store.ts";
import type { Call, Lateness } from "./judge.ts";
import type { Kind, WorkerSettings } from "./settings.ts";

/** A worker and the calls that it made. */
class Worker {
  readonly kind: Kind;
  readonly process: SourceProcess;
  readonly calls: { readonly beganMs: number; endedMs: number }[] = [];
  readonly late: Lateness[] = [];

  constructor(settings: WorkerSettings) {
    this.kind = settings.kind;
    this.process = new SourceProcess(new URL("worker.ts", import.meta.url), [JSON.stringify(settings)], (line) => {
      const [word, id, ms] = line.split(" ");
      if (word === "began") this.calls[Number(id) - 1] = { beganMs: Number(ms), endedMs: Number.POSITIVE_INFINITY };
      if (word === "late") this.late.push({ atMs: Number(id), byMs: Number(ms) });
      const ended = word === "ended" && this.calls[Number(id) - 1];
      if (ended) ended.endedMs = Number(ms);
    });
  }
}

/** The workers of a run; all of them end with the block that it is used in. */
export class Fleet implements AsyncDisposable {
  readonly #workers: Worker[] = [];
  readonly #store: StartedStore;

  constructor(store: StartedStore) {
    this.#store = store;
  }

  /** Starts so many workers of each kind, the first of them behind the proxy, where there is one. */
  async start(kinds: readonly Kind[], ofEach: number, callers: number): Promise<void> {
    const { module, factory, options, throughProxy } = this.#store;
    for (const kind of kinds)
      for (let place = 0; place < ofEach; place++) {
        const store = place === 0 ? (throughProxy ?? options) : options;
        this.#workers.push(new Worker({ kind, module, factory, store, callers }));
      }
    await Promise.all(this.#workers.map(({ process }) => process.said("ready", 600_000)));
    for (const { process } of this.#workers) process.tell("go");
  }

  calls(kind: Kind): readonly Call[] {
    return this.#workers.filter((worker) => worker.kind === kind).flatMap(({ calls }) => calls);
  }

  late(kind: Kind): readonly Lateness[] {
    return this.#workers.filter((worker) => worker.kind === kind).flatMap(({ late }) => late);
  }

  /**
   * Waits until each worker has begun a call since, by the machine's clock.
   * @returns how many did not within the time
   */
  async stuckSince(sinceMs: number, withinMs: number): Promise<number> {
    const untilMs = performance.now() + withinMs;
    const stuck = (): number =>
      this.#workers.filter(({ calls }) => !calls.some(({ beganMs }) => beganMs > sinceMs)).length;
    while (stuck() > 0 && performance.now() < untilMs) await sleep(50);
    return stuck();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#workers.map(({ process }) => process.kill()));
  }
}
