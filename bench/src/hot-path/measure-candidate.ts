/**
 * Measures one candidate in this process and prints a {@link TimeMeasurement} or a {@link MemoryMeasurement}:
 * `node measure-candidate.ts synchronous|awaited <name> '<plan as JSON>'`.
 */
import { PerformanceObserver } from "node:perf_hooks";
import { setImmediate as nextTurn } from "node:timers/promises";
import { slotsAtOnce, slotsAwaited } from "../concurrency-limit/candidates.ts";
import { metricsCandidates } from "../metrics/candidates.ts";
import { lowerQuartile } from "../statistics.ts";
import { awaitedCandidates, synchronousCandidates } from "./candidates.ts";

/** What to do. */
export interface Plan {
  readonly batches: number;
  /** Operations in a batch. */
  readonly iterations: number;
  /** Operations before anything is measured, so that V8 has compiled what it will. */
  readonly warmUp: number;
  /**
   * `time`: how long an operation takes. `memory`: what it allocates; needs `--expose-gc` and a new space that holds it
   * all.
   */
  readonly what: "time" | "memory";
}

/** How long an operation takes. */
export interface TimeMeasurement {
  /** Lower quartile over the batches. */
  readonly nsPerOp: number;
  /** The part of the time in which this thread ran; the rest went to other processes, or to waiting. */
  readonly cpuShare: number;
}

/** What an operation allocates. */
export interface MemoryMeasurement {
  readonly operations: number;
  readonly bytesPerOp: number;
  /** Garbage collections meanwhile: with one or more, `bytesPerOp` is too low. */
  readonly collections: number;
}

/** Runs an operation so many times; returns how many were granted. */
type Run = (times: number) => number | Promise<number>;

const [kind, name, plan] = process.argv.slice(2);
const { batches, iterations, warmUp, what } = JSON.parse(plan ?? "") as Plan;

const { run, close } = kind === "synchronous" ? await synchronousRun() : await awaitedRun();
await checked(warmUp);
await nextTurn();
process.stdout.write(JSON.stringify(await (what === "time" ? time() : memory())));
await close?.();

async function synchronousRun(): Promise<{ run: Run; close: (() => unknown) | undefined }> {
  const { operation, close } = await find([...synchronousCandidates, ...slotsAtOnce, ...metricsCandidates]).prepare();
  const run = (times: number): number => {
    let granted = 0;
    for (let i = 0; i < times; i++) granted += operation() ? 1 : 0;
    return granted;
  };
  return { run, close };
}

async function awaitedRun(): Promise<{ run: Run; close: (() => unknown) | undefined }> {
  const { operation, close } = await find([...awaitedCandidates, ...slotsAwaited]).prepare();
  const run = async (times: number): Promise<number> => {
    for (let i = 0; i < times; i++) await operation();
    return times;
  };
  return { run, close };
}

function find<C extends { readonly name: string }>(candidates: readonly C[]): C {
  const found = candidates.find((candidate) => candidate.name === name);
  if (found === undefined) throw new Error(`there is no ${kind} candidate "${name}"`);
  return found;
}

/** A candidate that refuses does less than one that grants: its figure would be worthless. */
async function checked(times: number): Promise<void> {
  const granted = await run(times);
  if (granted !== times) throw new Error(`${name} granted ${granted} of ${times}`);
}

async function time(): Promise<TimeMeasurement> {
  const figures: number[] = [];
  const startCpu = process.threadCpuUsage();
  const startMs = performance.now();
  for (let batch = 0; batch < batches; batch++) {
    const start = process.hrtime.bigint();
    await checked(iterations);
    figures.push(Number(process.hrtime.bigint() - start) / iterations);
    // Timers and background syncs get their turn.
    await nextTurn();
  }
  const { user, system } = process.threadCpuUsage(startCpu);
  return { nsPerOp: lowerQuartile(figures), cpuShare: (user + system) / 1_000 / (performance.now() - startMs) };
}

async function memory(): Promise<MemoryMeasurement> {
  const { gc } = globalThis;
  if (gc === undefined) throw new Error("measuring memory needs --expose-gc");
  gc();
  const observer = new PerformanceObserver(() => {});
  observer.observe({ entryTypes: ["gc"] });
  const before = process.memoryUsage().heapUsed;
  await checked(iterations);
  const after = process.memoryUsage().heapUsed;
  // Node records a collection at the end of the turn it happened in.
  await nextTurn();
  const collections = observer.takeRecords().length;
  return { operations: iterations, bytesPerOp: (after - before) / iterations, collections };
}
