import type { SimProcess } from "../world/sim-process.ts";
import type { World } from "../world/world.ts";

/**
 * Who may fence the newest process of an id? One that registered after it, as the store saw it. Not one that was a
 * member before and came back, unless the newest was silent meanwhile, came back itself after that, or the store had
 * lost its data; and not the late message of a process that was dead when it arrived.
 */
export function checkFencing(world: World, fenced: SimProcess): void {
  const { store, checker, plan } = world;
  const holder = store.table.holderOf(fenced.name)?.incarnation;
  const winner = world.processes.find((process) => process !== fenced && process.incarnation === holder);
  if (holder === undefined || !winner) return;
  if ((store.registeredMs.get(holder) ?? 0) > winner.goneAtMs)
    checker.report("fencing", `${fenced.label} was fenced by ${winner.label}, which was dead when it registered`);
  const silentMs = world.runtimeOf(fenced).now() - fenced.lastViewSentMs;
  const heardMs = store.firstHeardMs.get(fenced.incarnation ?? "") ?? Number.POSITIVE_INFINITY;
  const cameBack = (store.registeredMs.get(fenced.incarnation ?? "") ?? 0) - heardMs > plan.settings.validityMs;
  if (winner.joinedAtMs < heardMs && store.era === 0 && !cameBack && silentMs < plan.settings.validityMs)
    checker.report("fencing", `${fenced.label} was fenced by ${winner.label}, which had joined before`);
}
