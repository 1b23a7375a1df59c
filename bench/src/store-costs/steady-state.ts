import { isDtError } from "@dt/core";
import { interleaved } from "../interleaved.ts";
import { quantile, spread } from "../statistics.ts";
import type { Counters, StartedStore } from "../stores/bench-store.ts";
import { BenchGroup, TooSlow } from "../sync/bench-group.ts";
import { counted, each, sum } from "./counted.ts";
import type { SizeFigures } from "./figures.ts";
import type { Plan } from "./plan.ts";
import { roundTrips } from "./round-trips.ts";

/**
 * Measures one sync in groups of each size: sizes take turns, so that a slow minute of the machine hits all of them.
 */
export async function steadyState(started: StartedStore, plan: Plan): Promise<SizeFigures[]> {
  const groups: { readonly members: number; readonly group: BenchGroup }[] = [];
  const missing: SizeFigures[] = [];
  for (const members of plan.sizes) {
    plan.progress(`a group of ${members}`);
    try {
      if (missing.length > 0) throw new TooSlow(members, 0);
      groups.push({
        members,
        group: await BenchGroup.populated(started.store, `of-${members}`, members, plan.withinMs),
      });
    } catch (error) {
      // A group that a store cannot carry is a finding, and said in the store's words.
      if (!(error instanceof TooSlow || isDtError(error))) throw error;
      missing.push({
        members,
        notMeasured: missing.length > 0 ? "not tried after a smaller group did not come together" : error.message,
      });
    }
  }
  for (const { group } of groups) await group.sync(Math.ceil(plan.syncsPerRound / 2));
  const measured = await interleaved(groups, plan.rounds, ({ group }) =>
    counted(started, () => group.timedSyncs(plan.syncsPerRound)),
  );
  const trips = await roundTrips(
    started,
    plan,
    groups.map(({ members }) => members),
  );
  const latencies = measured.map((rounds) => rounds.flatMap(({ result }) => result));
  const figures = groups.map(({ members }, i): SizeFigures => {
    const tookMs = latencies[i] as readonly number[];
    const { median } = spread(tookMs);
    const spent = (measured[i] ?? []).reduce<Counters | null>((total, round) => sum(total, round.spent), null);
    return {
      members,
      syncs: tookMs.length,
      latencyMs: { median, p99: quantile(tookMs, 0.99) as number },
      growth: median / spread(latencies[0] as readonly number[]).median,
      serverPerSync: each(spent, tookMs.length),
      roundTrips: trips.get(members) ?? null,
    };
  });
  return [...figures, ...missing];
}
