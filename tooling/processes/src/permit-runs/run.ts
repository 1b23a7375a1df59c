import { SourceProcess } from "@dt-tooling/backends/source-process";
import { evaluate, type RunResult } from "./evaluate.ts";
import type { Arrival, RunSettings, WorkerReport, WorkerSettings } from "./settings.ts";
import type { RunStore } from "./stores/run-store.ts";

/** Twenty processes that start at once on a small machine take their time. */
const START_MS = 120_000;
const END_MS = 60_000;

/** How often a long run says how far it is. */
const PROGRESS_MS = 10_000;

/**
 * Starts a store, an HTTP server and the processes; lets them go at the same moment; stops them when enough permits
 * were used; and tells how it was.
 * @param say hears how far it is, now and then
 * @throws Error when a process fails or does not answer
 */
export async function run(
  store: RunStore,
  wanted: RunSettings,
  say: (line: string) => void = () => {},
): Promise<RunResult> {
  const settings = { ...wanted, everyMs: Math.max(wanted.everyMs, store.leastEveryMs ?? 0) };
  const started = await store.start();
  const children: SourceProcess[] = [];
  let used = 0;
  const progress = setInterval(() => say(`${store.name}: ${used} of ${settings.permits} permits`), PROGRESS_MS);
  const start = (script: string, args: readonly string[], onLine?: (line: string) => void): SourceProcess => {
    const child = new SourceProcess(new URL(`processes/${script}.ts`, import.meta.url), args, onLine);
    children.push(child);
    return child;
  };
  try {
    const callee = start("callee", []);
    const port = Number(await callee.said("listening", START_MS));
    let enough = (): void => {};
    const usedUp = new Promise<void>((resolve) => {
      enough = resolve;
    });
    const count = (line: string): void => {
      if (line !== "used") return;
      used += 1;
      if (used === settings.permits) enough();
    };
    // A minute: on a busy machine a process may be woken late, and what is counted here is whose turn it was.
    const { module, factory, options, permitTtl = "60s" } = started;
    const { everyMs, maxReserved, callers } = settings;
    const base = { module, factory, store: options, key: "permit-run", everyMs, maxReserved, callers, permitTtl, port };
    const workers = Array.from({ length: settings.processes }, (_, worker) => {
      const workerSettings: WorkerSettings = { ...base, worker };
      return start("worker", [JSON.stringify(workerSettings)], count);
    });
    await Promise.all(workers.map((worker) => worker.said("ready", START_MS)));
    for (const worker of workers) worker.tell("go");
    // Ten times what it takes, and time to start in.
    await within(usedUp, 10 * settings.permits * everyMs + START_MS, () => `only ${used} permits were used`);
    for (const worker of workers) worker.tell("stop");
    const reports = await Promise.all(workers.map((worker) => worker.said("report", END_MS)));
    callee.tell("stop");
    const arrivals = JSON.parse(await callee.said("arrivals", END_MS)) as Arrival[];
    return evaluate(
      reports.map((report) => JSON.parse(report) as WorkerReport),
      arrivals,
      { ...settings, clockErrorMs: started.clockErrorMs ?? 0, store: store.name, configuration: started.configuration },
    );
  } finally {
    clearInterval(progress);
    await Promise.all(children.map((child) => child.kill()));
    await started.stop();
  }
}

async function within(promise: Promise<void>, timeoutMs: number, problem: () => string): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${problem()} within ${timeoutMs} ms`)), timeoutMs);
  });
  await Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
