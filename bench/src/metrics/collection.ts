import type { RunOptions } from "../benchmark.ts";
import { type Spread, spread } from "../statistics.ts";

/** What it costs to read so many throttles once. */
export interface CollectionFigures {
  readonly throttles: number;
  /** Microseconds of one collection, as the SDK makes it. */
  readonly microseconds: Spread;
  /** Series that it gave. */
  readonly series: number;
}

const SIZES = [1, 10, 100, 1_000];
const COLLECTIONS = 30;

/** Reads throttles with a reader of the SDK, again and again. */
export async function measureCollections({ quick, progress }: RunOptions): Promise<readonly CollectionFigures[]> {
  const figures: CollectionFigures[] = [];
  for (const throttles of quick ? SIZES.slice(0, 2) : SIZES) {
    progress(`one collection of ${throttles} throttles`);
    figures.push(await collections(throttles, quick ? 3 : COLLECTIONS));
  }
  return figures;
}

async function collections(size: number, times: number): Promise<CollectionFigures> {
  const { createThrottle, MemoryStore } = await import("@dt/core");
  const { instrument } = await import("@dt/otel");
  const { MeterProvider, MetricReader } = await import("@opentelemetry/sdk-metrics");
  class HandReader extends MetricReader {
    protected override async onForceFlush(): Promise<void> {}
    protected override async onShutdown(): Promise<void> {}
  }
  const reader = new HandReader();
  const provider = new MeterProvider({ readers: [reader] });
  const store = new MemoryStore();
  const throttles = Array.from({ length: size }, (_, n) => createThrottle({ name: `bench ${n}`, max: 100, store }));
  const measured = instrument(throttles, { meter: provider.getMeter("bench") });
  await Promise.all(throttles.map((throttle) => throttle.start()));
  const microseconds: number[] = [];
  let series = 0;
  for (let time = 0; time < times; time++) {
    const start = process.hrtime.bigint();
    const { resourceMetrics } = await reader.collect();
    microseconds.push(Number(process.hrtime.bigint() - start) / 1_000);
    const metrics = resourceMetrics.scopeMetrics.flatMap((scope) => scope.metrics);
    series = metrics.reduce((sum, { dataPoints }) => sum + dataPoints.length, 0);
  }
  measured.stop();
  await provider.shutdown();
  await Promise.all(throttles.map((throttle) => throttle.stop()));
  await store.close();
  return { throttles: size, microseconds: spread(microseconds), series };
}
