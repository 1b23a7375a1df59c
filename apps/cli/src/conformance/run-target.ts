import { type ConformanceReport, conformanceCases, runConformance } from "@dt/conformance";
import { UsageError } from "../exit-code.ts";
import { warn } from "../terminal.ts";
import type { LoadedTarget } from "./check-target.ts";
import { FaultsInEffect } from "./faults-in-effect.ts";
import type { Filter } from "./filter.ts";
import { loadTarget } from "./load-target.ts";
import { probeStore } from "./probe-store.ts";
import { Progress } from "./progress.ts";

/** What to run. */
export interface SuiteOptions {
  /** Undefined: all cases. */
  readonly filter: Filter | undefined;
  readonly seed: number;
  readonly concurrency: number;
}

const STOP_WITHIN_MS = 10_000;

/**
 * Loads a target, runs the suite against it and ends what the target started, also when `stopped` rejects before the
 * suite is through.
 * @throws UsageError, or what `stopped` rejects with
 */
export async function runTarget(
  file: string,
  options: SuiteOptions,
  stopped: Promise<never>,
): Promise<ConformanceReport> {
  const loading = loadTarget(file);
  let target: LoadedTarget | undefined;
  let faults: FaultsInEffect | undefined;
  try {
    target = await Promise.race([loading, stopped]);
    await Promise.race([probeStore(target, file), stopped]);
    faults = target.faults && new FaultsInEffect(target.faults);
    return await Promise.race([runSuite(withFaults(target, faults), options), stopped]);
  } finally {
    await within(STOP_WITHIN_MS, "ending what the target started", async () => {
      await faults?.undoAll();
      // A target that was still starting is ended as well, when it is there in time.
      await stopTarget(target ?? (await loading.catch(() => undefined)));
    });
  }
}

async function runSuite(target: LoadedTarget, { filter, seed, concurrency }: SuiteOptions): Promise<ConformanceReport> {
  const cases = conformanceCases(target, { seed }).filter(
    ({ rule, name }) => filter?.expression.test(`${rule} ${name}`) ?? true,
  );
  if (cases.length === 0)
    throw new UsageError(
      `no case matches ${filter?.text}; give a rule such as R7, a part of a case's name, or /an expression/`,
    );
  const progress = new Progress(`${target.name}: ${cases.length} cases, seed ${seed}`, cases.length, process.stderr);
  try {
    return await runConformance(target, {
      ...(filter && { filter: filter.expression }),
      seed,
      concurrency,
      onResult: (result) => progress.show(result),
    });
  } finally {
    progress.end();
  }
}

/** The target, with faults that are remembered; its other members stay where they are, on a prototype too. */
function withFaults(target: LoadedTarget, faults: FaultsInEffect | undefined): LoadedTarget {
  if (!faults) return target;
  return new Proxy(target, {
    get: (object, name) => {
      if (name === "faults") return faults.faults;
      const value: unknown = Reflect.get(object, name, object);
      return typeof value === "function" ? value.bind(object) : value;
    },
  });
}

async function stopTarget(target: LoadedTarget | undefined): Promise<void> {
  if (target?.stop) await target.stop();
  else await target?.[Symbol.asyncDispose]?.();
}

/** Says on standard error what went wrong or took too long, and goes on: the report is worth more. */
async function within(ms: number, what: string, run: () => Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not done within ${ms} ms`)), ms);
  });
  try {
    await Promise.race([run(), late]);
  } catch (error) {
    warn(`${what} failed: ${error instanceof Error ? error.message : String(error)}\n`);
  } finally {
    clearTimeout(timer);
  }
}
