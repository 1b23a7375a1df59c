import { loadavg } from "node:os";
import type { Benchmark, RunOptions } from "../benchmark.ts";
import { longEnough } from "../long-enough.ts";
import { accuracy } from "./accuracy.ts";
import type { MemoryRun, NoisyNeighbour, SignalFigures, Throughput } from "./figures.ts";
import { memory } from "./memory.ts";
import { noisyNeighbour } from "./noisy-neighbour.ts";
import { signalReport } from "./signal-report.ts";
import { throughput } from "./throughput.ts";

export const signal: Benchmark<SignalFigures> = {
  name: "signal",
  summary: "throttle signals: a noisy neighbour, accuracy, what the server holds, throughput beside bare TCP",
  parts: ["noisy-neighbour", "accuracy", "memory", "throughput"],
  run,
  page: "signal.md",
  report: signalReport,
  merge: (kept, fresh) => ({ ...kept, ...fresh, load: { ...kept.load, ...fresh.load } }),
};

/** Whether calm messages were confirmed in each of the three ways. */
function isMeasured({ quietP99Ms, signalP99Ms, pauseP99Ms }: NoisyNeighbour): boolean {
  return ![quietP99Ms, signalP99Ms, pauseP99Ms].includes(null);
}

async function run({ rounds, quick, only, progress }: RunOptions): Promise<SignalFigures> {
  const load: Record<string, number> = {};
  const figures: { -readonly [Key in keyof SignalFigures]: SignalFigures[Key] } = { load };
  const wanted = (part: string): boolean => {
    if (only !== undefined && only !== part) return false;
    load[part] = loadavg()[0] as number;
    return true;
  };
  if (wanted("noisy-neighbour")) {
    progress("a noisy neighbour");
    figures.noisyNeighbour = quick
      ? await longEnough((factor) => noisyNeighbour(1, 2 * factor, 1), isMeasured)
      : await noisyNeighbour(rounds ?? 11, 10, 3);
  }
  if (wanted("accuracy")) {
    progress("accuracy");
    figures.accuracy = await accuracy(1_000, quick ? 3 : 60);
  }
  if (wanted("memory")) {
    const runs: MemoryRun[] = [];
    for (const kind of ["confirming", "lying", "silent"] as const) {
      progress(`what the server holds: ${kind} clients`);
      runs.push(await memory(kind, quick ? 50 : 1_000, quick ? 3 : 30));
    }
    figures.memory = runs;
  }
  if (wanted("throughput")) {
    const sizes: Throughput[] = [];
    for (const bytes of [100, 1_024, 65_536]) {
      progress(`throughput: ${bytes} bytes`);
      sizes.push(await throughput(bytes, rounds ?? (quick ? 1 : 5), quick ? 100 : 1_500));
    }
    figures.throughput = sizes;
  }
  return figures;
}
