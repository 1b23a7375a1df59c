import type { SimProcess } from "../world/sim-process.ts";
import type { World } from "../world/world.ts";

/** Longest time until the members agree, once churn is over: the dead go stale while the living sync three times. */
export function agreementBoundMs(world: World): number {
  const { staleAfterMs, learningMs, syncIntervalMs, storeTimeoutMs } = world.plan.settings;
  // A call that was under way when churn ended may still have to time out, once.
  return Math.max(staleAfterMs, learningMs) + 3 * syncIntervalMs + storeTimeoutMs + 100;
}

/** Ends churn: everything heals, whoever was to live runs, callers take all they can. */
export function calmDown(world: World): void {
  world.note("churn is over");
  world.calm = true;
  world.store.become("up");
  world.healLinks();
  for (const process of world.alive) {
    process.resume();
    if (process.state === "running" && process.started) world.calmCaller(process);
  }
}

/** Every living member agrees on all the living as its members, and nobody else is in the ledger. */
export function checkAgreement(world: World): void {
  const expected = members(world);
  const rows = world.store.table.members();
  const fenced = [...world.slots.values()]
    .map((slot) => slot.process)
    // One that died after it was fenced is nobody's loss: another boot has its id.
    .filter((process) => process?.alive && process.throttle.status().state === "fenced");
  if (fenced.length > 0)
    world.checker.report(
      "liveness",
      `${fenced.map((process) => process?.label).join(", ")}: fenced although nobody runs in its place`,
    );
  // Stale members go with the next call of anybody; without anybody they stay.
  if (expected.length > 0 && rows.length !== expected.length)
    world.checker.report(
      "liveness",
      `the ledger has ${rows.map((row) => row.id).join(", ")}; alive are ${expected.map((process) => process.label).join(", ")}`,
    );
  // A group in which somebody shares by demand never agrees.
  const agrees = rows.every(({ want }) => want === null);
  for (const process of expected) {
    const { agreed, members } = process.throttle.status();
    if (agreed !== agrees || members !== expected.length)
      world.checker.report(
        "liveness",
        `${process.label}: agreed ${agreed}, member count ${members} of ${expected.length}`,
      );
  }
}

/** All tokens of an epoch that is over were granted. */
export function checkUtilisation(world: World, epoch: number): void {
  const expected = members(world);
  // While a ramp goes on, less than the capacity is offered.
  if (expected.length === 0 || world.plan.settings.rampUpMs > 0) return;
  const { net } = world.checker.book.of(epoch);
  const capacity = world.store.table.group()?.capacity ?? 0;
  // Released evenly, the last tokens of an epoch come so late that a late timer may miss them.
  // Of tokens that take turns, some may be on their way from one member to the next.
  const { release, shares } = world.plan.settings;
  const odd = shares ? Math.min(capacity, expected.length) : 0;
  const least = release === "epoch" ? capacity - odd : Math.floor(0.95 * capacity) - 2 * expected.length;
  if (net < least)
    world.checker.report("utilisation", `epoch ${epoch}: ${net} of ${capacity} granted by ${expected.length} members`);
}

/** After everybody has stopped, no call of `acquire` is left hanging, and the ledger is empty. */
export function checkSettled(world: World, hadMembers: boolean): void {
  for (const process of world.alive)
    if (process.pending > 0)
      world.checker.report("hanging", `${process.label}: ${process.pending} calls never settled`);
  const rows = world.store.table.members();
  if (hadMembers && rows.length > 0)
    world.checker.report("liveness", `left in the ledger: ${rows.map((row) => row.id).join(", ")}`);
}

export function members(world: World): readonly SimProcess[] {
  return world.alive.filter((process) => process.state === "running" && process.throttle.status().state !== "fenced");
}
