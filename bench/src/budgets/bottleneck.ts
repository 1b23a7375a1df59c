import type { FleetBudget } from "./fleet-budget.ts";
import type { WorkerSettings } from "./plan.ts";
import { bucketOf, distanceMs, INCREASE_MS } from "./token-bucket.ts";

/** One limiter: calls are evenly spaced, and their tokens are weights against a reservoir. */
export async function openBottleneck({ quota, redisUrl }: WorkerSettings): Promise<FleetBudget> {
  const [{ default: Bottleneck }, { Redis }] = await Promise.all([import("bottleneck"), import("ioredis")]);
  const { hostname: host, port } = new URL(redisUrl);
  const { amount, maximum } = bucketOf(quota);
  const limiter = new Bottleneck({
    ...{ id: "fleet", datastore: "ioredis", Redis, clientOptions: { host, port: Number(port) } },
    minTime: distanceMs(quota),
    reservoir: maximum,
    reservoirIncreaseInterval: INCREASE_MS,
    reservoirIncreaseAmount: amount,
    reservoirIncreaseMaximum: maximum,
    // Its timer is what wakes a process that waits for the reservoir; it is 5 s unless it is given.
    heartbeatInterval: INCREASE_MS,
  } as ConstructorParameters<typeof Bottleneck>[0]);
  await limiter.ready();
  return {
    run: async (estimate, call) => {
      const used = await limiter.schedule({ weight: estimate }, call);
      if (used !== estimate) await limiter.incrementReservoir(estimate - used);
    },
  };
}
