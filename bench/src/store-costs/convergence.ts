import { setTimeout as sleep } from "node:timers/promises";
import type { Throttle } from "@dt/core";
import { spread } from "../statistics.ts";
import type { StartedStore } from "../stores/bench-store.ts";
import { difference, each } from "./counted.ts";
import type { ConvergenceFigures } from "./figures.ts";
import { FleetStore } from "./fleet-store.ts";
import type { Plan } from "./plan.ts";

/**
 * Syncs a second of all members together: what one process can drive beside everything else. A larger fleet syncs more
 * rarely.
 */
const syncsPerSecond = 100;
/** As many as may call at once: more would only wait for their turn while their deadlines run. */
const startedAtOnce = 50;
const lookMs = 2;

/** A fleet of real throttles, joined by one more: how long until all of them agree on the new pool. */
export async function convergence(started: StartedStore, members: number, plan: Plan): Promise<ConvergenceFigures> {
  const store = new FleetStore(started.store);
  const { createThrottle } = await import("@dt/core");
  const syncIntervalMs = Math.max(1_000, (members * 1_000) / syncsPerSecond);
  const fleet: Throttle[] = [];
  const newcomer = (): Throttle => {
    const throttle = createThrottle({
      ...{ name: `fleet-of-${members}`, max: 10 * (members + plan.joins), store, syncInterval: syncIntervalMs },
      // Members that share by demand never agree.
      shares: "even",
      // The defaults at a sync interval of one second, otherwise in proportion. No learning: the servers are new.
      ...{
        staleAfter: Math.max(plan.staleAfterMs, 6 * syncIntervalMs),
        storeTimeout: Math.max(plan.storeTimeoutMs, syncIntervalMs / 2),
        learning: 0,
      },
    });
    fleet.push(throttle);
    return throttle;
  };
  try {
    plan.progress(`a fleet of ${members} throttles`);
    const dueMs = performance.now() + plan.withinMs;
    while (fleet.length < members) {
      if (performance.now() > dueMs)
        return { members, notMeasured: `${fleet.length} throttles started within ${plan.withinMs / 1_000} s` };
      const some = Array.from({ length: Math.min(startedAtOnce, members - fleet.length) }, newcomer);
      await Promise.all(some.map((throttle) => throttle.start()));
    }
    store.hintsPass = true;
    store.hint();
    if (!(await agreed(fleet, dueMs + plan.withinMs)))
      return { members, notMeasured: `the fleet did not agree within ${plan.withinMs / 1_000} s after it had started` };
    const tookMs: number[] = [];
    const before = store.syncs;
    for (let join = 0; join < plan.joins; join++) {
      const startMs = performance.now();
      await newcomer().start();
      if (!(await agreed(fleet, startMs + plan.withinMs)))
        return { members, notMeasured: `no agreement within ${plan.withinMs / 1_000} s after a join` };
      tookMs.push(performance.now() - startMs);
    }
    const syncsPerMember = (store.syncs - before) / plan.joins / members;
    const soFar = () =>
      store.betweenCalls(async () => ({ counters: (await started.counters?.()) ?? null, syncs: store.syncs }));
    const idleFrom = await soFar();
    // Until somebody has synced, as a machine may stand still for so long.
    const overMs = performance.now() + plan.withinMs;
    do await sleep(plan.idleMs);
    while (store.syncs === idleFrom.syncs && performance.now() < overMs);
    const idleTo = await soFar();
    const idlePerSync = each(difference(idleFrom.counters, idleTo.counters), idleTo.syncs - idleFrom.syncs);
    return { members, syncIntervalMs, joins: plan.joins, ms: spread(tookMs), syncsPerMember, idlePerSync };
  } catch (error) {
    // A fleet that a store cannot carry is a finding, and said in the store's words.
    return { members, notMeasured: `a throttle failed: ${(error as Error).message}` };
  } finally {
    store.hintsPass = false;
    await Promise.all(fleet.map((throttle) => throttle.stop().catch(() => {})));
    await store.close();
  }
}

/** Waits until every throttle's view is that all of these agree; false when it takes too long. */
async function agreed(fleet: readonly Throttle[], dueMs: number): Promise<boolean> {
  const sees = (throttle: Throttle): boolean => {
    const { agreed, members } = throttle.status();
    return agreed && members === fleet.length;
  };
  for (let next = 0; performance.now() < dueMs; await sleep(lookMs)) {
    while (next < fleet.length && sees(fleet[next] as Throttle)) next += 1;
    if (next === fleet.length && fleet.every(sees)) return true;
    if (next === fleet.length) next = 0;
  }
  return false;
}
