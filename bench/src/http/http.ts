import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Benchmark, RunOptions } from "../benchmark.ts";
import { runChild } from "../child.ts";
import { interleaved } from "../interleaved.ts";
import { type Spread, spread } from "../statistics.ts";
import { httpCandidates } from "./candidates.ts";
import { httpReport } from "./http-report.ts";
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
