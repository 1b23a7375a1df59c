import { createConcurrencyLimit } from "@dt/adaptive";
import { startCallee } from "@dt-tooling/backends/callee";
import type { Benchmark, RunOptions } from "../benchmark.ts";
import { adaptiveReport } from "./adaptive-report.ts";
import { load, type Phase, type PhaseCounts } from "./load.ts";

export interface AdaptiveFigures {
  readonly stories: readonly {
    readonly story: string;
    readonly limiters: readonly { readonly limiter: string; readonly phases: readonly PhaseCounts[] }[];
  }[];
}

/** What the callee can take: 200 calls a second. */
export const WORKERS = 10;
export const SERVICE_MS = 50;

interface Story {
  readonly story: string;
  readonly phases: readonly Phase[];
}

const phase = (name: string, seconds: number, perSecond: number, serviceMs = SERVICE_MS): Phase => ({
  name,
  seconds,
  perSecond,
  serviceMs,
});

const STORIES: readonly Story[] = [
  {
    story: "ten times as many calls for 15 s",
    phases: [phase("before", 10, 100), phase("burst", 15, 1_000), phase("after", 15, 100)],
  },
  {
    story: "the service ten times as slow for 20 s",
    phases: [phase("before", 10, 100), phase("slow", 20, 100, 10 * SERVICE_MS), phase("after", 15, 100)],
  },
];

const LIMITERS = [
  { limiter: "no limit", tellsQueueWait: false, make: () => undefined },
  { limiter: "automatic, latency alone", tellsQueueWait: false, make: () => createConcurrencyLimit({}) },
  { limiter: "automatic, with the reported wait", tellsQueueWait: true, make: () => createConcurrencyLimit({}) },
] as const;

export const adaptive: Benchmark<AdaptiveFigures> = {
  name: "adaptive",
  summary: "a real server under a burst and while it is slow, with and without a limit that adapts",
  run,
  report: adaptiveReport,
};

async function run({ quick, progress }: RunOptions): Promise<AdaptiveFigures> {
  const stories = [];
  for (const { story, phases } of STORIES) {
    const limiters = [];
    for (const { limiter, tellsQueueWait, make } of LIMITERS) {
      const shorter = quick ? phases.map((long) => ({ ...long, seconds: long.seconds / 40 })) : phases;
      await using callee = await startCallee({
        workers: WORKERS,
        serviceMs: SERVICE_MS,
        service: "fixed",
        tellsQueueWait,
      });
      const limit = make();
      const counts = await load(callee.url, shorter, limit, ({ serviceMs }) => callee.takes(serviceMs), Math.random);
      await limit?.stop();
      limiters.push({ limiter, phases: counts });
      progress(`${story}: ${limiter}`);
    }
    stories.push({ story, limiters });
  }
  return { stories };
}
