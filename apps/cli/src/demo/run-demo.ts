import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDtError } from "@dt/core";
import { EXIT, Failure } from "../exit-code.ts";
import { openStore } from "../stores/open-store.ts";
import { type StoreAddress, showStoreAddress } from "../stores/store-address.ts";
import { print, printJson } from "../terminal.ts";
import type { DemoSettings } from "./measure/facts.ts";
import { rateSeries } from "./measure/rate.ts";
import { type DemoResult, measure } from "./measure/verdict.ts";
import type { RunRecord } from "./record.ts";
import { chart, chartPoints } from "./report/chart.ts";
import { Progress } from "./report/progress.ts";
import { SVG_POINTS, svg } from "./report/svg.ts";
import { reportText } from "./report/text.ts";
import { runLoad } from "./run-load.ts";

/** The options of `dt demo`, checked. */
export interface DemoOptions extends Omit<DemoSettings, "store"> {
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
  // A group of its own, so that runs on one store do not meet.
  const group = `dt-demo-${randomUUID()}`;
  await checkStore(address, group, signal);
  const title = `${workers} processes share ${max} requests/s through ${store}`;
  const progress = new Progress(title, workers, seconds, limit);
  // Standard output belongs to the result when that is JSON.
  const done = progress.show(json ? process.stderr : process.stdout);
  let record: RunRecord;
  try {
    const load = { allowed: max, max: limit, workers, seconds, release, store: address, group, scratch, entry };
    record = await runLoad(load, progress, signal);
  } finally {
    done();
  }
  const result = measure({ store, max, headroom, release, workers, seconds }, record);
  if (!json) report(result, record);
  if (file !== undefined) await writeSvg(file, svg(rateSeries(record, SVG_POINTS), result));
  if (json) printJson({ ...result, ...(file && { svg: file }) });
  else if (file !== undefined) print(`the chart as a picture: ${file}\n`);
  return result.pass ? EXIT.ok : EXIT.failed;
}

/** Finds out before anything is started whether the store can be used. */
async function checkStore(address: StoreAddress, group: string, signal: AbortSignal): Promise<void> {
  try {
    const store = await openStore(address);
    try {
      await store.inspect(group, signal);
    } finally {
      await store.close();
    }
  } catch (error) {
    if (!isDtError(error)) throw error;
    throw new Failure(`the store ${showStoreAddress(address)} cannot be used: ${error.message}`, { cause: error });
  }
}

function report(result: DemoResult, record: RunRecord): void {
  const { stdout } = process;
  const series = rateSeries(record, chartPoints(stdout.columns ?? 80));
  const heading = "requests in the second before, as the server saw them";
  const lines = ["", heading, ...chart(series, result), "", ...reportText(result, stdout), ""];
  stdout.write(`${lines.join("\n")}\n`);
}

async function writeSvg(file: string, content: string): Promise<void> {
  try {
    await writeFile(file, content);
  } catch (error) {
    throw new Failure(`--svg ${file} cannot be written: ${(error as Error).message}`, { cause: error });
  }
}
