import { newestEpoch, oldestEpoch } from "./time.ts";
import type { EpochAccount, Process, Setting, World } from "./world.ts";

/**
 * The share may be used: validity counts from the sending of the last successful call (member rule 4; `Validity`,
 * `Allowance.valid`).
 */
export function isValid(world: World, setting: Setting, process: Process): boolean {
  return world.tick < process.renewedTick + setting.bounds.validity;
}

/** True when a raise begins once this process counts in `epoch`. */
function hasDueRaise({ holding }: Process, epoch: number): boolean {
  const first = holding.state.raises[0];
  return first !== undefined && first.fromEpoch <= epoch;
}

/**
 * A process looks at its clock, reads that it is in `epoch`, lets raises begin and takes everything it may, or nothing
 * (`Allowance.refresh`, `Allotment.take`). Epoch numbers of a process never go back (`Allowance.#turnTo`).
 */
export function look(world: World, setting: Setting, slot: number, epoch: number, takes = true): void {
  const process = world.own(slot);
  const { epoch: before, holding } = process;
  const { current } = holding.state;
  if (epoch !== before) {
    process.epoch = epoch;
    // A token comes back in the new epoch. One that comes back in its own is granted again by a greedy caller, which
    // leaves every account as it was.
    const comesBack = setting.flaw === "late-deposit-granted-again" && usable(world, setting, process);
    process.charged = comesBack ? -Math.min(1, process.charged) : 0;
  }
  holding.advance(epoch);
  const begins = epoch !== before || holding.state.current !== current;
  if (usable(world, setting, process)) grant(world, setting, slot, begins, takes);
  if (epoch < before)
    world.violate(setting, "epoch-back", `${world.names[slot]} counts in epoch ${epoch} after ${before}`);
}

/**
 * Callers are greedy: every process that was ever answered looks as soon as looking may change anything, in a tick
 * around an epoch's start first in the old epoch and then in the new one, and takes all.
 */
export function lookGreedily(world: World, setting: Setting): void {
  const newest = newestEpoch(world.tick);
  const oldest = oldestEpoch(world.tick);
  for (let slot = 0; slot < world.processes.length; slot++) {
    const process = world.process(slot);
    if (!looks(process)) continue;
    if (process.epoch < oldest) look(world, setting, slot, oldest);
    if (mayTurn(world.process(slot), newest) || mayTake(world, setting, world.process(slot)))
      look(world, setting, slot, newest);
  }
}

/** Nobody asks before the first answer, nor once it has left. */
export function looks({ stage, holding }: Process): boolean {
  return stage !== "gone" && holding.generation > 0;
}

export function mayTurn(process: Process, epoch: number): boolean {
  return epoch > process.epoch || (epoch === process.epoch && hasDueRaise(process, epoch));
}

export function mayTake(world: World, setting: Setting, process: Process): boolean {
  return usable(world, setting, process) && shareOf(process).tokens > process.charged;
}

function usable(world: World, setting: Setting, process: Process): boolean {
  return setting.flaw === "validity-not-checked" ? process.stage === "member" : isValid(world, setting, process);
}

function shareOf(process: Process): ReturnType<Process["holding"]["shareAt"]> {
  return process.holding.shareAt(process.max, process.epoch);
}

/**
 * Takes all that the share has left, or nothing. `begins`: the share is another than before, or of another epoch; what
 * was taken already is then taken by it.
 */
function grant(world: World, setting: Setting, slot: number, begins: boolean, takes: boolean): void {
  const process = world.process(slot);
  const share = shareOf(process);
  const name = world.names[slot];
  const index = process.epoch === newestEpoch(world.tick) ? 1 : 0;
  const account = world.accounts[index] as EpochAccount;
  const more = takes ? Math.max(0, share.tokens - process.charged) : 0;
  let { split } = account;
  if ((begins || more > 0) && process.holding.isExact && share.tokens > 0 && process.charged + more > 0) {
    const generation = process.holding.generation;
    if (split !== 0 && !isSameGeneration(world, split, generation))
      world.violate(setting, "token-owner", `epoch ${process.epoch}: ${name} uses another exact split than others did`);
    split = generation;
  }
  const record = world.rows[slot]?.held ?? 0;
  if (share.tokens > record)
    world.violate(setting, "beyond-record", `${name} uses ${share.tokens}, the store has ${record} on record for it`);
  if (more > 0) {
    process.charged = share.tokens;
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
