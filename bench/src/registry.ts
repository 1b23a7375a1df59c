import type { Benchmark } from "./benchmark.ts";
import { budgets } from "./budgets/budgets.ts";
import { concurrencyLimit } from "./concurrency-limit/concurrency-limit.ts";
import { fleet } from "./fleet/fleet.ts";
import { hotPath } from "./hot-path/hot-path.ts";
import { http } from "./http/http.ts";
import { keys } from "./keys/keys.ts";
import { metrics } from "./metrics/metrics.ts";
import { permits } from "./permits/permits.ts";
import { pipeline } from "./pipeline/pipeline.ts";
import { rateAccuracy } from "./rate-accuracy/rate-accuracy.ts";
import { semaphore } from "./semaphore/semaphore.ts";
import { signal } from "./signal/signal.ts";
import { storeCosts } from "./store-costs/store-costs.ts";
import { sync } from "./sync/sync.ts";

/** Every benchmark there is. */
export const benchmarks: readonly Benchmark[] = [
  erased(hotPath),
  erased(concurrencyLimit),
  erased(metrics),
  erased(http),
  erased(sync),
  erased(permits),
  erased(rateAccuracy),
  erased(storeCosts),
  erased(fleet),
  erased(semaphore),
  erased(budgets),
  erased(keys),
  erased(signal),
  erased(pipeline),
];

/** Forgets the type of the figures: a benchmark is only ever given figures of its own. */
function erased<Figures extends object>(benchmark: Benchmark<Figures>): Benchmark {
  const { merge, report, ...rest } = benchmark;
  return {
    ...rest,
    report: (figures) => report(figures as Figures),
    ...(merge && { merge: (kept, fresh) => merge(kept as Figures, fresh as Figures) }),
  };
}
