import { loadavg } from "node:os";
import type { Benchmark, RunOptions } from "../benchmark.ts";
import { thisMachine } from "../machine.ts";
import type { BenchStore } from "../stores/bench-store.ts";
import { dynamodb } from "../stores/dynamodb.ts";
import { etcdOne, etcdThree } from "../stores/etcd.ts";
import { memory } from "../stores/memory.ts";
import { postgres } from "../stores/postgres.ts";
import { redis } from "../stores/redis.ts";
import { sqlite } from "../stores/sqlite.ts";
import { convergence } from "./convergence.ts";
import { type ConvergenceFigures, isMeasured, type StoreCostFigures, type StoreCosts } from "./figures.ts";
import type { Plan } from "./plan.ts";
import { steadyState } from "./steady-state.ts";
import { storeCostsReport } from "./store-costs-report.ts";

/** In the order of the page. */
const stores: readonly BenchStore[] = [memory, sqlite, redis, postgres, etcdOne, etcdThree, dynamodb];
const defaultRounds = 3;

export const storeCosts: Benchmark<StoreCostFigures> = {
  name: "stores",
  summary: "round trips, server work, latency and convergence of every store at 10 to 10,000 members",
  parts: stores.map(({ name }) => name),
  page: "stores.md",
  run,
  report: storeCostsReport,
  merge: (kept, fresh) => ({
    stores: stores.flatMap(({ name }) => {
      const found = [...fresh.stores, ...kept.stores].find((costs) => costs.name === name);
      return found ? [found] : [];
    }),
  }),
};

async function run(options: RunOptions): Promise<StoreCostFigures> {
  const wanted = stores.filter(({ name }) => options.only === undefined || options.only === name);
  const measured: StoreCosts[] = [];
  for (const store of wanted) measured.push(await measure(store, options));
  return { stores: measured };
}

async function measure(candidate: BenchStore, options: RunOptions): Promise<StoreCosts> {
  const { name } = candidate;
  const { quick, command } = options;
  const plan: Plan = {
    sizes: quick ? [3, 6] : [10, 100, 1_000, 10_000],
    rounds: options.rounds ?? (quick ? 1 : defaultRounds),
    syncsPerRound: quick ? 10 : Math.min(candidate.callsPerRound, 1_000),
    // What is measured in a quick run is whether it can be: a slow machine may take its time.
    ...(quick
      ? { withinMs: 300_000, staleAfterMs: 300_000, storeTimeoutMs: 60_000 }
      : { withinMs: 40_000, staleAfterMs: 10_000, storeTimeoutMs: 2_000 }),
    joins: quick ? 1 : 3,
    idleMs: quick ? 1_500 : 3_000,
    progress: (line) => options.progress(`${name}: ${line}`),
  };
  plan.progress("starting");
  const about = { date: new Date().toISOString(), machine: thisMachine(), command, loadBefore: loadavg()[0] as number };
  const started = await candidate.start();
  try {
    const sizes = await steadyState(started, plan);
    const fleets: ConvergenceFigures[] = [];
    for (const size of sizes) fleets.push(isMeasured(size) ? await convergence(started, size.members, plan) : size);
    const { configuration, store } = started;
    return { name, configuration, capabilities: store.capabilities, ...about, sizes, convergence: fleets };
  } finally {
    await started.stop();
  }
}
