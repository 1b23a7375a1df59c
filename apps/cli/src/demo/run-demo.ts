import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDtError, type Release } from "@dt/core";
import { EXIT, Failure } from "../exit-code.ts";
import { openStore } from "../stores/open-store.ts";
import { type StoreAddress, showStoreAddress } from "../stores/store-address.ts";
import { print, printJson, warn } from "../terminal.ts";
import { type Comparison, compare } from "./compare.ts";
import { checkInput, type Input, writeInput } from "./input.ts";
import { rateSeries } from "./measure/rate.ts";
import { type DemoResult, measure } from "./measure/result.ts";
import { chart, chartPoints } from "./report/chart.ts";
import { FleetView } from "./report/fleet-view.ts";
import { showProgress } from "./report/progress.ts";
import { SVG_POINTS, svg } from "./report/svg.ts";
import { comparisonText, reportText } from "./report/text.ts";
import { type Load, type RunObserver, type RunRecord, runLoad } from "./run-load.ts";

/** The options of `dt demo`, checked. */
export interface DemoOptions {
  readonly max: number;
  readonly headroom: number;
  readonly workers: number;
  readonly seconds: number;
  readonly release: Release;
  /** Undefined: an SQLite file of its own. */
  readonly store: StoreAddress | undefined;
  /** Undefined: requests of its own. */
  readonly input: string | undefined;
  /** Undefined: no picture. */
  readonly svg: string | undefined;
  readonly json: boolean;
  readonly compare: boolean;
}

/**
 * Runs the demo and reports. Returns the exit code.
 * @throws UsageError, Failure; the signal's reason when `signal` aborts
 */
export async function runDemo(options: DemoOptions, entry: string, signal: AbortSignal): Promise<number> {
  const scratch = await mkdtemp(join(tmpdir(), "dt-demo-"));
  try {
    const demo = new Demo(options, entry, scratch, signal);
    return await demo.run();
  } finally {
    await rm(scratch, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
  }
}

class Demo {
  readonly #options: DemoOptions;
  readonly #entry: string;
  readonly #scratch: string;
  readonly #signal: AbortSignal;
  readonly #store: StoreAddress;
  /** Where progress goes: standard output belongs to the result when that is JSON. */
  readonly #progress: NodeJS.WriteStream;

  constructor(options: DemoOptions, entry: string, scratch: string, signal: AbortSignal) {
    this.#options = options;
    this.#entry = entry;
    this.#scratch = scratch;
    this.#signal = signal;
    this.#store = options.store ?? { kind: "sqlite", path: join(scratch, "ledger.db") };
    this.#progress = options.json ? process.stderr : process.stdout;
  }

  async run(): Promise<number> {
    const { max, headroom, workers, seconds, release } = this.#options;
    const input = await this.#input();
    // A group of its own, so that runs on one store do not meet.
    const group = `dt-demo-${randomUUID()}`;
    await this.#checkStore(group);
    const gate = { type: "shared", store: this.#store, group, max: max - headroom } as const;
    const load: Load = {
      ...{ max, workers, seconds, release, gate },
      ...{ input: input.file, scratch: this.#scratch, entry: this.#entry },
    };
    const shown = this.#observe(
      `${workers} processes share ${max} requests/s through ${showStoreAddress(this.#store)}`,
    );
    let record: RunRecord;
    try {
      record = await runLoad(load, shown.observer, this.#signal);
    } finally {
      shown.done();
    }
    const store = showStoreAddress(this.#store);
    const result = measure({ store, max, headroom, release, workers, seconds }, record);
    if (!this.#options.json) this.#report(result, record);
    const comparison = this.#options.compare ? await this.#compare(load, result) : undefined;
    await this.#finish(result, record, input, comparison);
    return result.pass ? EXIT.ok : EXIT.failed;
  }

  #input(): Promise<Input> {
    const { input } = this.#options;
    if (input === undefined) return writeInput(this.#scratch);
    return checkInput(input, (message) => warn(`${message}\n`));
  }

  /** Finds out before anything is started whether the store can be used. */
  async #checkStore(group: string): Promise<void> {
    try {
      const store = await openStore(this.#store);
      try {
        await store.inspect(group, this.#signal);
      } finally {
        await store.close();
      }
    } catch (error) {
      if (!isDtError(error)) throw error;
      throw new Failure(`the store ${showStoreAddress(this.#store)} cannot be used: ${error.message}`, {
        cause: error,
      });
    }
  }

  #observe(title: string): { readonly observer: RunObserver; done(): void } {
    const { workers, seconds, max, headroom } = this.#options;
    const fleet = new FleetView(workers, max - headroom);
    const done = showProgress({ title, seconds, limit: max - headroom, fleet }, this.#progress);
    return { observer: fleet, done };
  }

  #compare(load: Load, result: DemoResult): Promise<Comparison[]> {
    return compare(load, result, (name) => this.#observe(`the same load, ${name}`), this.#signal);
  }

  #report(result: DemoResult, record: RunRecord): void {
    const { stdout } = process;
    const series = rateSeries(record.arrivals, record, chartPoints(stdout.columns ?? 80));
    const heading = "requests in the second before, as the server saw them";
    const lines = ["", heading, ...chart(series, result), "", ...reportText(result, stdout), ""];
    stdout.write(`${lines.join("\n")}\n`);
  }

  async #finish(result: DemoResult, record: RunRecord, input: Input, comparison?: Comparison[]): Promise<void> {
    const { json, svg: file } = this.#options;
    if (file !== undefined) await this.#writeSvg(file, svg(rateSeries(record.arrivals, record, SVG_POINTS), result));
    if (json) {
      const { requests, malformed } = input;
      const more = {
        input: { requests, malformed },
        ...(file && { svg: file }),
        ...(comparison && { compare: comparison }),
      };
      printJson({ ...result, ...more });
      return;
    }
    if (comparison) print(`${comparisonText(comparison).join("\n")}\n\n`);
    if (file !== undefined) print(`the chart as a picture: ${file}\n`);
  }

  async #writeSvg(file: string, content: string): Promise<void> {
    try {
      await writeFile(file, content);
    } catch (error) {
      throw new Failure(`--svg ${file} cannot be written: ${(error as Error).message}`, { cause: error });
    }
  }
}
