import { count, figure, ratio } from "../report/format.ts";
import { atMost, type Report, type Table } from "../report/report.ts";
import type { MemoryFigures, PipelineFigures, ThroughputFigures } from "./pipeline.ts";

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
