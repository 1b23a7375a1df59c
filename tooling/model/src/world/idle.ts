import { look, looks, mayTake, mayTurn } from "./grants.ts";
import { newestEpoch, oldestEpoch } from "./time.ts";
import type { Setting, World } from "./world.ts";

// Callers that look at their clock and take what they may at any time, or never.

/**
 * The world after each look that this process may have next. To count in another epoch and take nothing is never worse
 * than not to look: tokens that it gives up start later then, and it cannot take any of the epoch before. But for a
 * raise that begins, and may then be claimed of a store that lost its data.
 */
export function lookedAt(world: World, setting: Setting, slot: number): readonly World[] {
  const { charged, epoch: before } = world.process(slot);
  const always = setting.bounds.losses > 0 || setting.flaw === "epoch-goes-back";
  return epochsToLookIn(world, setting, slot).flatMap((epoch) =>
    (always && epoch !== before ? [true, false] : [true]).flatMap((takes) => {
      const next = world.fork();
      next.story?.push(...(world.story ?? []));
      look(next, setting, slot, epoch, takes);
      if (!takes) next.tell(slot, `counts in epoch ${epoch}, and takes nothing`);
      const more = next.process(slot).charged > (epoch === before ? charged : 0);
      return more || always || next.violation ? [next] : [];
    }),
  );
}

/** The world as it is, and after any number of looks of this process. */
export function lookedAtOften(world: World, setting: Setting, slot: number): readonly World[] {
  return [world, ...lookedAt(world, setting, slot).flatMap((next) => lookedAtOften(next, setting, slot))];
}

/** The epochs in which a process may look next, where that changes anything. */
function epochsToLookIn(world: World, setting: Setting, slot: number): readonly number[] {
  const process = world.process(slot);
  if (!looks(process)) return [];
  const goesBack = setting.flaw === "epoch-goes-back";
  return [oldestEpoch(world.tick), newestEpoch(world.tick)].filter(
    (epoch, index, all) =>
      all.indexOf(epoch) === index &&
      (mayTurn(process, epoch) ||
        (epoch < process.epoch && goesBack) ||
        (epoch === process.epoch && mayTake(world, setting, process))),
  );
}
