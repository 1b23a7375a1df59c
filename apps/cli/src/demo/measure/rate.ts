import type { RunRecord } from "../record.ts";

/** The rate over time at the server. */
export interface RateSeries {
  /** Time of each point, in seconds from the start. */
  readonly seconds: readonly number[];
  /** By worker: its requests in the second before each point. */
  readonly byWorker: ReadonlyMap<number, readonly number[]>;
  /** All workers' requests in the second before each point, refused ones included. */
  readonly total: readonly number[];
  /** Requests refused in the second before each point. */
  readonly rejected: readonly number[];
}

/** Counts, at `points` instants evenly spread over the run, the requests of the second before. */
export function rateSeries(
  { arrivals, startMs, endMs }: Pick<RunRecord, "arrivals" | "startMs" | "endMs">,
  points: number,
): RateSeries {
  const stepMs = (endMs - startMs) / points;
  const workers = [...new Set(arrivals.map(({ worker }) => worker))].sort((a, b) => a - b);
  const byWorker = new Map(workers.map((worker) => [worker, new Array<number>(points).fill(0)]));
  const total = new Array<number>(points).fill(0);
  const rejected = new Array<number>(points).fill(0);
  for (const { atMs, worker, served } of arrivals) {
    // Counted at every point in [atMs, atMs + 1 s).
    const from = Math.max(0, Math.ceil((atMs - startMs) / stepMs) - 1);
    const to = Math.min(points, Math.ceil((atMs + 1_000 - startMs) / stepMs) - 1);
    const own = byWorker.get(worker) as number[];
    for (let point = from; point < to; point++) {
      own[point] = (own[point] as number) + 1;
      total[point] = (total[point] as number) + 1;
      if (!served) rejected[point] = (rejected[point] as number) + 1;
    }
  }
  const seconds = total.map((_, point) => ((point + 1) * stepMs) / 1_000);
  return { seconds, byWorker, total, rejected };
}
