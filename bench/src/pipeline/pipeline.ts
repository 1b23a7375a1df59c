import { spawn } from "node:child_process";
import { join } from "node:path";
import type { Benchmark, RunOptions } from "../benchmark.ts";
import { runChild } from "../child.ts";
import { interleaved } from "../interleaved.ts";
import { packageVersion } from "../package-version.ts";
import { count, figure, ratio } from "../report/format.ts";
import { atMost, type Report, type Table } from "../report/report.ts";
import { type Spread, spread } from "../statistics.ts";
import { candidates, whole } from "./candidates.ts";
import type { Memory, Time } from "./measure.ts";

/** How many records a candidate gets through. */
export interface ThroughputFigures {
  readonly name: string;
  readonly version: string | null;
  readonly configuration: string;
  readonly microsecondsPerRecord: Spread;
  /** Its time against that of the first candidate in the same round. */
  readonly ratio: Spread;
}

export interface MemoryFigures extends Memory {
  readonly name: string;
}

/** What a pipeline costs beside a bare loop. */
export interface PipelineFigures {
  readonly rounds: number;
  readonly idle: { readonly records: number; readonly candidates: readonly ThroughputFigures[] };
  readonly http: { readonly records: number; readonly candidates: readonly ThroughputFigures[] };
  readonly memory: { readonly records: number; readonly candidates: readonly MemoryFigures[] };
}

const DEFAULT_ROUNDS = 7;
const script = join(import.meta.dirname, "measure.ts");

export const pipeline: Benchmark<PipelineFigures> = {
  name: "pipeline",
  summary: "what a pipeline costs for each record beside a bare loop of p-limit, and the memory that it needs",
  run,
  report: pipelineReport,
};

async function run({ rounds: given, quick, progress }: RunOptions): Promise<PipelineFigures> {
  const rounds = given ?? (quick ? 1 : DEFAULT_ROUNDS);
  const callee = await startCallee();
  const throughput = async (what: string, records: number, port: number) => {
    const times = await interleaved(candidates, rounds, ({ name }, round) => {
      progress(`${what}, round ${round + 1} of ${rounds}: ${name}`);
      return runChild<Time>({ script, args: [name, String(records), String(port)] });
    });
    return { records, candidates: candidates.map((_, i) => figuresOf(i, times, records)) };
  };
  try {
    const idle = await throughput("calls that do nothing", quick ? 2_000 : 200_000, 0);
    const http = await throughput("calls over HTTP", quick ? 500 : 30_000, callee.port);
    const records = quick ? 10_000 : 1_000_000;
    const held: MemoryFigures[] = [];
    for (const { name } of candidates.filter((one) => one === whole || one.package === "p-limit")) {
      progress(`memory: ${name}`);
      const args = [name, String(records), "memory"];
      held.push({ name, ...(await runChild<Memory>({ script, args, flags: ["--expose-gc"] })) });
    }
    return { rounds, idle, http, memory: { records, candidates: held } };
  } finally {
    callee.stop();
  }
}

function figuresOf(index: number, times: readonly (readonly Time[])[], records: number): ThroughputFigures {
  const { name, package: from, configuration } = candidates[index] as (typeof candidates)[number];
  const own = times[index] as readonly Time[];
  const first = times[0] as readonly Time[];
  return {
    name,
    version: from === undefined ? null : packageVersion(from),
    configuration,
    microsecondsPerRecord: spread(own.map(({ ms }) => (ms * 1_000) / records)),
    ratio: spread(own.map(({ ms }, round) => ms / (first[round]?.ms ?? Number.NaN))),
  };
}

async function startCallee(): Promise<{ readonly port: number; stop(): void }> {
  const command = [join(import.meta.dirname, "callee.ts")];
  const child = spawn(process.execPath, command, { stdio: ["pipe", "pipe", "inherit"] });
  const port = await new Promise<number>((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", () => reject(new Error("the callee ended")));
    child.stdout.once("data", (line: Buffer) => resolve(Number(line)));
  });
  return { port, stop: () => void child.stdin.end() };
}

export function pipelineReport({ rounds, idle, http, memory }: PipelineFigures): Report {
  const [loop, bare] = http.candidates as [ThroughputFigures, ThroughputFigures];
  const held = memory.candidates.at(-1) as MemoryFigures;
  return {
    tables: [
      throughputTable("Calls that do nothing", idle, [
        `The median of ${rounds} rounds (the extremes in brackets) of ${count(idle.records)} records; ratios are taken within a round. Each measurement is a process of its own.`,
        ...idle.candidates.map(
          ({ name, version, configuration }) => `${name}${version ? ` ${version}` : ""}: ${configuration}.`,
        ),
      ]),
      throughputTable("Calls over HTTP, to a server on the same machine that answers at once", http, [
        `${count(http.records)} records, 16 requests at once on connections that are kept, by \`node:http\`. A callee that takes longer than none makes every ratio smaller.`,
      ]),
      {
        title: `Heap in use, MiB, while ${count(memory.records)} records go through`,
        columns: ["after", ...memory.candidates.map(({ name }) => name)],
        rows: [
          ...held.samples.map(({ calls }, tenth) => [
            count(calls),
            ...memory.candidates.map(({ samples }) => figure(samples[tenth]?.heapMiB ?? Number.NaN)),
          ]),
          ["most resident", ...memory.candidates.map(({ peakRssMiB }) => count(peakRssMiB))],
        ],
        notes: [
          "After a garbage collection that was asked for. The loop of p-limit has a promise for each record; a pipeline reads its source as fast as its calls and outputs allow.",
        ],
      },
    ],
    targets: [
      atMost(`calls over HTTP: ${bare.name} / ${loop.name}, time`, bare.ratio.median, 1.25),
      atMost(`${held.name}: heap at the end / after a tenth`, grown(held), 1.1),
    ],
  };
}

function throughputTable(
  title: string,
  { candidates }: { readonly candidates: readonly ThroughputFigures[] },
  notes: readonly string[],
): Table {
  return {
    title,
    columns: ["", "µs a record", "records a second", "time beside p-limit"],
    rows: candidates.map(({ name, microsecondsPerRecord: own, ratio: beside }) => [
      name,
      `${figure(own.median)} (${figure(own.min)} to ${figure(own.max)})`,
      count(1_000_000 / own.median),
      `${ratio(beside.median)} (${ratio(beside.min)} to ${ratio(beside.max)})`,
    ]),
    notes,
  };
}

function grown({ samples }: MemoryFigures): number {
  return (samples.at(-1)?.heapMiB ?? Number.NaN) / (samples[0]?.heapMiB ?? Number.NaN);
}
