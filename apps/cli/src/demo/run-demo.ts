import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { arch, availableParallelism, platform, tmpdir } from "node:os";
import { join } from "node:path";
import { isDtError } from "@dt/core";
import { EXIT, Failure } from "../exit-code.ts";
import { openStore } from "../stores/open-store.ts";
import { type StoreAddress, showStoreAddress } from "../stores/store-address.ts";
import { print, printJson } from "../terminal.ts";
import { type DemoSettings, fixedPart } from "./measure/facts.ts";
import { type RateSeries, rateSeries } from "./measure/rate.ts";
import { type DemoResult, measure } from "./measure/verdict.ts";
import type { RunRecord } from "./record.ts";
import { chart, chartPoints } from "./report/chart.ts";
import { FleetView } from "./report/fleet-view.ts";
import { Progress } from "./report/progress.ts";
import { SVG_POINTS, svg } from "./report/svg.ts";
import { reportText } from "./report/text.ts";
import { introduction } from "./report/words.ts";
import { runLoads } from "./run-load.ts";

/** The options of `dt demo`, checked. */
export interface DemoOptions extends Omit<DemoSettings, "store" | "machine" | "date"> {
  /** Undefined: an SQLite file of its own. */
  readonly store: StoreAddress | undefined;
  /** Undefined: no picture. */
  readonly svg: string | undefined;
  readonly json: boolean;
}

/**
 * Runs the demo and reports. Returns the exit code.
 * @throws Failure; the signal's reason when `signal` aborts
 */
export async function runDemo(options: DemoOptions, entry: string, signal: AbortSignal): Promise<number> {
  const scratch = await mkdtemp(join(tmpdir(), "dt-demo-"));
  try {
    return await runIn(scratch, options, entry, signal);
  } finally {
    await rm(scratch, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
  }
}

async function runIn(scratch: string, options: DemoOptions, entry: string, signal: AbortSignal): Promise<number> {
  const { max, headroom, workers, seconds, release, json, svg: file } = options;
  const limit = max - headroom;
  const address = options.store ?? ({ kind: "sqlite", path: join(scratch, "ledger.db") } as const);
  const store = showStoreAddress(address);
  // A name of its own, so that runs on one store do not meet.
  const name = `dt-demo-${randomUUID()}`;
  await checkStore(address, name, signal);
  const settings = { store, max, headroom, release, workers, seconds, machine: machine(), date: today() };
  const part = fixedPart(settings);
  const [shared, parts] = [new FleetView(workers, limit), new FleetView(workers, part * workers)];
  const words = introduction(settings, part, options.store === undefined ? "an SQLite file" : store);
  // Standard output belongs to the result when that is JSON.
  const done = new Progress(words, seconds, limit, shared, parts).show(json ? process.stderr : process.stdout);
  const load = { allowed: max, workers, seconds, release, name, scratch, entry };
  let records: readonly [RunRecord, RunRecord];
  try {
    records = await runLoads(
      { load: { ...load, max: limit, store: address }, observer: shared },
      { load: { ...load, max: part, store: undefined }, observer: parts },
      signal,
    );
  } finally {
    done();
  }
  const result = measure(settings, ...records);
  if (!json) report(result, records);
  if (file !== undefined) {
    const [ours, theirs] = records.map((record) => rateSeries(record, SVG_POINTS)) as [RateSeries, RateSeries];
    await writeSvg(file, svg(ours, theirs, result));
  }
  if (json) printJson({ ...result, ...(file && { svg: file }) });
  else if (file !== undefined) print(`the same as a picture: ${file}\n`);
  return result.pass ? EXIT.ok : EXIT.failed;
}

function machine(): string {
  const count = availableParallelism();
  return `${platform()} ${arch()}, ${count} ${count === 1 ? "core" : "cores"}, Node.js ${process.versions.node}`;
}

const today = (): string => new Date().toISOString().slice(0, 10);

/** Finds out before anything is started whether the store can be used. */
async function checkStore(address: StoreAddress, name: string, signal: AbortSignal): Promise<void> {
  try {
    const store = await openStore(address);
    try {
      await store.inspect(name, signal);
    } finally {
      await store.close();
    }
  } catch (error) {
    if (!isDtError(error)) throw error;
    throw new Failure(`the store ${showStoreAddress(address)} cannot be used: ${error.message}`, { cause: error });
  }
}

function report(result: DemoResult, records: readonly RunRecord[]): void {
  const { stdout } = process;
  const points = chartPoints(stdout.columns ?? 80);
  const charts = records.map((record) => rateSeries(record, points));
  const names = ["shared limit: calls in a second, as the server counted them", "fixed parts, the same"];
  const lines = charts.flatMap((series, index) => [names[index] as string, ...chart(series, result), ""]);
  stdout.write(`${["", ...lines, ...reportText(result, stdout), ""].join("\n")}\n`);
}

async function writeSvg(file: string, content: string): Promise<void> {
  try {
    await writeFile(file, content);
  } catch (error) {
    throw new Failure(`--svg ${file} cannot be written: ${(error as Error).message}`, { cause: error });
  }
}
