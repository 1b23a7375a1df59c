import { SourceProcess } from "@dt-tooling/backends/source-process";
import type { StartedStore } from "../permits/stores/permit-store.ts";
import type { Callee } from "./callee.ts";
import type { FleetSettings, WorkerSettings } from "./settings.ts";

const START_MS = 120_000;
const script = new URL("worker.ts", import.meta.url);

/** The workers of a run; all of them end with the block that it is used in. */
export class Fleet implements AsyncDisposable {
  readonly #workers = new Map<number, SourceProcess>();
  readonly #store: StartedStore;
  readonly #callee: Callee;
  readonly #settings: FleetSettings;
  #next = 0;

  constructor(store: StartedStore, callee: Callee, settings: FleetSettings) {
    this.#store = store;
    this.#callee = callee;
    this.#settings = settings;
  }

  /** Starts so many workers, and lets them go. */
  async add(count: number, changes: Partial<FleetSettings> = {}): Promise<number[]> {
    const { module, factory, options } = this.#store;
    const added = Array.from({ length: count }, () => {
      const worker = this.#next++;
      const own = { worker, calleeUrl: this.#callee.url, module, factory, store: options };
      const settings: WorkerSettings = { ...this.#settings, ...changes, ...own };
      this.#workers.set(worker, new SourceProcess(script, [JSON.stringify(settings)]));
      return worker;
    });
    await Promise.all(added.map((worker) => this.of(worker).said("ready", START_MS)));
    for (const worker of added) this.of(worker).tell("go");
    return added;
  }

  of(worker: number): SourceProcess {
    const found = this.#workers.get(worker);
    if (!found) throw new Error(`there is no worker ${worker}`);
    return found;
  }

  get living(): readonly number[] {
    return [...this.#workers].filter(([, process]) => !process.over).map(([worker]) => worker);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#workers.values()].map((process) => process.kill()));
  }
}
