import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Benchmark, RunOptions } from "../benchmark.ts";
import { runChild } from "../child.ts";
import { interleaved } from "../interleaved.ts";
import { count, figure, ratio } from "../report/format.ts";
import { atMost, type Report } from "../report/report.ts";
import { type Spread, spread } from "../statistics.ts";
import { httpCandidates } from "./candidates.ts";
import type { HttpMeasurement, Plan } from "./measure.ts";

/** What a request costs one candidate. */
export interface HttpCandidateFigures {
  readonly name: string;
  readonly configuration: string;
  /** Processor time of the client's process, in microseconds. */
  readonly cpuUs: Spread;
  readonly wallUs: Spread;
  readonly beside: string;
  /** Processor time beside that of the one it is put around, in the same round. */
  readonly cpuRatio: Spread;
}

/** What it costs to obey. */
export interface HttpFigures {
  readonly rounds: number;
  readonly plan: Plan;
  readonly candidates: readonly HttpCandidateFigures[];
}

export const http: Benchmark<HttpFigures> = {
  name: "http",
  summary: "what @dt/http adds to a request, beside plain undici and plain fetch",
  run,
  report: httpReport,
};

async function run(options: RunOptions): Promise<HttpFigures> {
  const rounds = options.rounds ?? (options.quick ? 1 : 9);
  const plan: Plan = options.quick
    ? { requests: 50, warmUp: 10, atOnce: 8 }
    : { requests: 20_000, warmUp: 5_000, atOnce: 32 };
  const server = fork(join(import.meta.dirname, "server.ts"), { stdio: ["ignore", "pipe", "inherit", "ipc"] });
  try {
    const [line] = (await once(server.stdout as NodeJS.ReadableStream, "data")) as [Buffer];
    const url = line.toString().trim();
    const script = join(import.meta.dirname, "measure.ts");
    const measured = await interleaved(httpCandidates, rounds, ({ name }, round) => {
      options.progress(`round ${round + 1} of ${rounds}: ${name}`);
      return runChild<HttpMeasurement>({ script, args: [name, url, JSON.stringify(plan)] });
    });
    const candidates = httpCandidates.map(({ name, configuration, beside }, i) => {
      const own = measured[i] ?? [];
      const base = measured[httpCandidates.findIndex((candidate) => candidate.name === beside)] ?? [];
      return {
        name,
        configuration,
        beside,
        cpuUs: spread(own.map(({ cpuUs }) => cpuUs)),
        wallUs: spread(own.map(({ wallUs }) => wallUs)),
        cpuRatio: spread(own.map(({ cpuUs }, round) => cpuUs / (base[round]?.cpuUs ?? Number.NaN))),
      };
    });
    return { rounds, plan, candidates };
  } finally {
    server.kill();
  }
}

/** A request that obeys costs at most so much of one that does not, in processor time. */
const MOST = 1.5;

export function httpReport({ rounds, plan, candidates }: HttpFigures): Report {
  return {
    tables: [
      {
        title: "One request on a kept connection, its answer of two bytes read",
        columns: ["", "µs of processor", "min", "max", "beside plain", "µs of time"],
        rows: candidates.map(({ name, cpuUs, wallUs, cpuRatio }) => [
          name,
          ...[cpuUs.median, cpuUs.min, cpuUs.max].map(figure),
          ratio(cpuRatio.median),
          figure(wallUs.median),
        ]),
        notes: [
          ...candidates.map(({ name, configuration }) => `${name}: ${configuration}.`),
          `Medians of ${rounds} rounds, candidates interleaved, each measurement in a fresh process: ${count(plan.requests)} requests, ${plan.atOnce} at once, after ${count(plan.warmUp)} to warm up. The server is another process and answers at once. Processor time is that of the client's process alone; ratios are taken within a round.`,
        ],
      },
    ],
    targets: candidates
      .filter(({ name }) => name === "undici + @dt/http" || name === "@dt/http fetch")
      .map(({ name, beside, cpuRatio }) =>
        atMost(`${name}: processor time of a request beside ${beside}`, cpuRatio.median, MOST),
      ),
  };
}
