import { type CoordinationStore, isDtError } from "@dt/core";
import { spread } from "../statistics.ts";
import type { StartedStore } from "../stores/bench-store.ts";
import { BenchGroup, TooSlow } from "../sync/bench-group.ts";
import type { Plan } from "./plan.ts";

/** Long against what a sync takes, so that the machine's own delays do not count as trips. */
const eachWayMs = 50;
const syncs = 7;
/** Larger groups take long to make, and the server's count of requests covers them. */
const largest = 1_000;

/**
 * Round trips of one sync, one after the other, for the smallest group and the largest of up to a thousand: how much
 * longer it takes when every message takes longer, in round trips. Requests that travel together are one.
 */
export async function roundTrips(
  { connectDelayed }: StartedStore,
  { progress, withinMs }: Plan,
  sizes: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const trips = new Map<number, number>();
  const delayed = await connectDelayed?.();
  if (!delayed) return trips;
  try {
    const fitting = sizes.filter((size) => size <= largest);
    for (const size of new Set([fitting[0], fitting.at(-1)])) {
      if (size === undefined) continue;
      progress(`round trips in a group of ${size}`);
      const group = await populated(delayed.store, size, withinMs);
      if (!group) continue;
      const near = spread(await group.timedSyncs(syncs)).median;
      delayed.delay(eachWayMs);
      const far = spread(await group.timedSyncs(syncs)).median;
      delayed.delay(0);
      trips.set(size, (far - near) / (2 * eachWayMs));
    }
  } finally {
    await delayed.stop();
  }
  return trips;
}

/**
 * Undefined when it takes too long, or is too large for the store: the smaller group then speaks for the larger one.
 */
async function populated(store: CoordinationStore, size: number, withinMs: number): Promise<BenchGroup | undefined> {
  try {
    return await BenchGroup.populated(store, `far-${size}`, size, withinMs);
  } catch (error) {
    if (error instanceof TooSlow || isDtError(error)) return undefined;
    throw error;
  }
}
