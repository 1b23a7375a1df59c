import { newestEpoch, oldestEpoch } from "./time.ts";
import type { EpochAccount, Process, Setting, World } from "./world.ts";

/**
 * The share may be used: validity counts from the sending of the last successful call (processor rule 4; `Validity`,
 * `Allowance.valid`).
 */
export function isValid(world: World, setting: Setting, process: Process): boolean {
  return world.tick < process.renewedTick + setting.bounds.validity;
}

/** True when a raise may begin in some epoch that this process may count in now. */
export function hasDueRaise(world: World, process: Process): boolean {
  const first = process.holding.state.raises[0];
  return first !== undefined && first.fromEpoch <= newestEpoch(world.tick);
}

/**
 * A process looks at its clock, reads that it is in `epoch`, lets raises begin and takes everything it may
 * (`Allowance.refresh`, `Allotment.take`). Epoch numbers of a process never go back (`Allowance.#turnTo`).
 */
export function look(world: World, setting: Setting, slot: number, epoch: number): void {
  const process = world.own(slot, setting.core);
  const { epoch: before, holding } = process;
  const { current } = holding.state;
  if (epoch !== before) {
    process.epoch = epoch;
    // A token comes back in the new epoch. One that comes back in its own is granted again by a greedy caller, which
    // leaves every account as it was.
    process.granted = setting.flaw === "late-deposit-granted-again" ? -Math.min(1, process.granted) : 0;
  }
  holding.advance(epoch);
  if (usable(world, setting, process))
    grant(world, setting, slot, epoch !== before || holding.state.current !== current);
  if (epoch < before)
    world.violate(setting, "epoch-back", `${world.names[slot]} counts in epoch ${epoch} after ${before}`);
}

/**
 * Callers are greedy: every process looks as soon as looking may change anything, in a tick around an epoch's start
 * first in the old epoch and then in the new one. What a greedy process grants, an idle one grants at most.
 */
export function lookGreedily(world: World, setting: Setting): void {
  const newest = newestEpoch(world.tick);
  const oldest = oldestEpoch(world.tick);
  for (let slot = 0; slot < world.processes.length; slot++) {
    const process = world.process(slot);
    if (process.stage === "gone" || !usable(world, setting, process)) continue;
    if (process.epoch < oldest) look(world, setting, slot, oldest);
    if (mayChange(world.process(slot), newest)) look(world, setting, slot, newest);
  }
}

/**
 * With idle callers: looks for every process as early as that can do no harm to the search. When no raise may begin by
 * it, looking changes nothing but what is granted, and to grant more, and to grant now, is the worse case. Looks in
 * which a raise begins, or a new epoch, are steps of their own.
 */
export function lookWhereItOnlyGrants(world: World, setting: Setting): void {
  const oldest = oldestEpoch(world.tick);
  for (let slot = 0; slot < world.processes.length; slot++) {
    const process = world.process(slot);
    if (process.stage === "gone" || !usable(world, setting, process)) continue;
    const epoch = Math.max(process.epoch, oldest);
    const first = process.holding.state.raises[0];
    if (first && first.fromEpoch <= epoch) continue;
    if (mayChange(process, epoch)) look(world, setting, slot, epoch);
  }
}

function mayChange(process: Process, epoch: number): boolean {
  const first = process.holding.state.raises[0];
  return epoch > process.epoch || (first && first.fromEpoch <= epoch) || shareOf(process).tokens > process.granted;
}

function usable(world: World, setting: Setting, process: Process): boolean {
  return setting.flaw === "validity-not-checked" ? process.stage === "member" : isValid(world, setting, process);
}

function shareOf(process: Process): ReturnType<Process["holding"]["shareAt"]> {
  return process.holding.shareAt(process.max, process.epoch);
}

/** Takes all that the share has left. `begins`: the tokens are used for the first time in this epoch. */
function grant(world: World, setting: Setting, slot: number, begins: boolean): void {
  const process = world.process(slot);
  const share = shareOf(process);
  const name = world.names[slot];
  const index = process.epoch === newestEpoch(world.tick) ? 1 : 0;
  const account = world.accounts[index] as EpochAccount;
  let { split } = account;
  if (begins && process.holding.agreed && share.tokens > 0) {
    const generation = process.holding.generation;
    if (split !== 0 && !isSameGeneration(world, split, generation))
      world.violate(setting, "token-owner", `epoch ${process.epoch}: ${name} uses another exact split than others did`);
    split = generation;
  }
  const record = world.rows[slot]?.held ?? 0;
  if (share.tokens > record)
    world.violate(setting, "beyond-record", `${name} uses ${share.tokens}, the store has ${record} on record for it`);
  const more = Math.max(0, share.tokens - process.granted);
  if (more > 0) {
    process.granted = share.tokens;
    world.tell(slot, `grants ${more} in epoch ${process.epoch}`);
  }
  if (more === 0 && split === account.split) return;
  const granted = account.granted + more;
  const limit = Math.max(account.limit, process.holding.capacity);
  world.accounts[index] = { granted, split, limit };
  if (granted > limit) world.violate(setting, "epoch-sum", `epoch ${process.epoch}: ${granted} of ${limit} granted`);
}

/** Of generations that are not the present one the normal form of a state does not tell one from another. */
function isSameGeneration({ group }: World, one: number, other: number): boolean {
  const present = group?.generation;
  return one === other || (one !== present && other !== present);
}
