import type { Benchmark, RunOptions } from "../benchmark.ts";
import { type CandidateFigures, type Comparison, compare } from "../hot-path/comparison.ts";
import { comparisonTable } from "../hot-path/hot-path.ts";
import { count, figure } from "../report/format.ts";
import { atMost, type Report, type Table, type Target } from "../report/report.ts";
import { again, metricsCandidates, withMetrics } from "./candidates.ts";
import { type CollectionFigures, measureCollections } from "./collection.ts";

/** What metrics cost. */
export interface MetricsFigures {
  readonly grants: Comparison;
  readonly collections: readonly CollectionFigures[];
}

export const metrics: Benchmark<MetricsFigures> = {
  name: "metrics",
  summary: "what a grant costs with and without @dt/otel, and the time that it takes to read throttles",
  run,
  report,
};

async function run(options: RunOptions): Promise<MetricsFigures> {
  const grants = await compare(
    { kind: "synchronous", candidates: metricsCandidates, iterations: 100_000, memoryOperations: 10_000_000 },
    options,
  );
  return { grants, collections: await measureCollections(options) };
}

function report({ grants, collections }: MetricsFigures): Report {
  return {
    tables: [comparisonTable("A grant at once, measured or not", grants), collectionTable(collections)],
    targets: targets(grants),
  };
}

/** No slower than two measurements of one thing are apart, and nothing allocated. */
function targets({ floor, candidates }: Comparison): Target[] {
  const of = (name: string): CandidateFigures | undefined => candidates.find((candidate) => candidate.name === name);
  const [own, same] = [of(withMetrics.name), of(again.name)];
  return [
    atMost(
      `${withMetrics.name} / ${floor}, within the spread of the pairs`,
      own?.ratio.median ?? null,
      same?.ratio.max ?? Number.NaN,
    ),
    // The smallest object has 12 bytes or more: a tenth of a byte is one object in a hundred grants.
    atMost(
      `${withMetrics.name}: heap bytes per grant beyond ${floor}`,
      (own?.bytesPerOp ?? Number.NaN) - (of(floor)?.bytesPerOp ?? Number.NaN),
      0.1,
    ),
  ];
}

function collectionTable(collections: readonly CollectionFigures[]): Table {
  return {
    title: "One collection",
    columns: ["throttles", "series", "us", "min", "max", "us per throttle"],
    rows: collections.map(({ throttles, series, microseconds: { median, min, max } }) => [
      count(throttles),
      count(series),
      ...[median, min, max].map(figure),
      figure(median / throttles),
    ]),
    notes: [
      "The whole of `reader.collect()` of the SDK: the statuses of all throttles, and what the SDK makes of them. It happens as often as metrics are exported or scraped, every 15 s or 60 s for example.",
    ],
  };
}
