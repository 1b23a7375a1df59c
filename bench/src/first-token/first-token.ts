import type { CoordinationStore, Throttle } from "@dt/core";
import type { Benchmark, RunOptions } from "../benchmark.ts";
import { type Spread, spread } from "../statistics.ts";
import type { BenchStore } from "../stores/bench-store.ts";
import { dynamodb } from "../stores/dynamodb.ts";
import { etcdOne } from "../stores/etcd.ts";
import { memory } from "../stores/memory.ts";
import { postgres } from "../stores/postgres.ts";
import { redis } from "../stores/redis.ts";
import { sqlite } from "../stores/sqlite.ts";
import { firstTokenReport } from "./first-token-report.ts";

type Interval = "100ms" | "1s" | "1m";

/** From the call of `start()` to the first token, in milliseconds. */
export interface Waits {
  readonly interval: string;
  /** In a group that nobody was in before. */
  readonly fresh: Spread;
  /** In a group that one process is in already, and uses up. */
  readonly joining: Spread;
}

export interface FirstTokenFigures {
  /** How old the servers' data was when the first group of each interval was made, in seconds. */
  readonly dataAgeS: readonly number[];
  readonly tries: readonly number[];
  readonly stores: readonly { readonly name: string; readonly waits: readonly Waits[] }[];
}

const stores: readonly BenchStore[] = [memory, sqlite, redis, postgres, etcdOne, dynamodb];

export const firstToken: Benchmark<FirstTokenFigures> = {
  name: "first-token",
  summary: "how long a process waits for its first token, in a new group and when it joins, for each store",
  run,
  report: firstTokenReport,
};

/** What is measured of each store, one after the other; the stores are measured at once, since they mostly wait. */
interface Part {
  readonly interval: Interval;
  readonly tries: number;
  readonly dataAgeMs: number;
}

async function run({ rounds, quick, progress }: RunOptions): Promise<FirstTokenFigures> {
  const tries = rounds ?? (quick ? 1 : 5);
  // Data that is older than the learning period of an interval is what a fleet in production meets.
  const parts: readonly Part[] = quick
    ? [{ interval: "100ms", tries, dataAgeMs: 0 }]
    : [
        { interval: "1s", tries, dataAgeMs: 15_000 },
        { interval: "1m", tries: 1, dataAgeMs: 150_000 },
      ];
  const measured = await Promise.all(
    stores.map(async (candidate) => {
      const started = await candidate.start();
      const sinceMs = performance.now();
      try {
        // The first call makes what a server needs: tables, scripts, connections, the mark of the data's age.
        await (await token(started.store, "warm-up", "1s")).throttle.stop();
        const waits: Waits[] = [];
        for (const part of parts) {
          await pass(part.dataAgeMs - (performance.now() - sinceMs));
          waits.push(await measure(started.store, part));
          progress(`${candidate.name}, ${part.interval}: done`);
        }
        return { name: candidate.name, waits };
      } finally {
        await started.stop();
      }
    }),
  );
  return {
    dataAgeS: parts.map(({ dataAgeMs }) => dataAgeMs / 1_000),
    tries: parts.map((part) => part.tries),
    stores: measured,
  };
}

async function measure(store: CoordinationStore, { interval, tries }: Part): Promise<Waits> {
  const [fresh, joining]: [number[], number[]] = [[], []];
  for (let round = 0; round < tries; round++) {
    const group = `first-token-${interval}-${round}`;
    const first = await token(store, group, interval);
    const second = await token(store, group, interval);
    fresh.push(first.ms);
    joining.push(second.ms);
    await Promise.all([first.throttle.stop(), second.throttle.stop()]);
  }
  return { interval, fresh: spread(fresh), joining: spread(joining) };
}

/** Starts a throttle and waits for its first token. */
async function token(
  store: CoordinationStore,
  group: string,
  interval: Interval,
): Promise<{ throttle: Throttle; ms: number }> {
  const { createThrottle, isDtError } = await import("@dt/core");
  // A server that much else keeps busy may take longer than the default.
  const throttle = createThrottle({ group, max: 10, interval, store, acquireTimeout: "10m", storeTimeout: "2.2s" });
  const startMs = performance.now();
  await throttle.start();
  // On a busy machine no round trip may have been short enough yet to know the store's clock.
  while (
    (await throttle.acquire().catch((error) => (isDtError(error, "DT_STORE_SLOW") ? 0 : Promise.reject(error)))) === 0
  );
  return { throttle, ms: performance.now() - startMs };
}

function pass(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));
}
