import { changeNamed } from "@dt-tooling/simulator/fleet";
import type { Bounds } from "../bounds.ts";
import type { Rule } from "../world/world.ts";
import type { Flaw } from "./flaw.ts";
import type { Trap } from "./trap.ts";

/** A trap must lead to what callers would see, not only to a wrong row. */
const PROMISE: readonly Rule[] = ["epoch-sum"];

const TWO: Partial<Bounds> = { members: 2, ticks: 6 };
const THREE: Partial<Bounds> = { members: 3, ticks: 6 };

/** Members that all share by demand, and one beside one that shares evenly. */
const DEMAND: Partial<Bounds> = { members: 2, demand: 2, max: 2, ticks: 6, from: "empty" };
const MIXED: Partial<Bounds> = { ...DEMAND, demand: 1, max: 3 };

/** The traps of shares that follow demand. */
const BY_DEMAND: readonly Trap[] = [
  seeded("demand-raise-beyond-free", DEMAND),
  // Where these would be too much, more is held than there is, and so no more than the even part may be used (R24).
  { ...seeded("demand-turn-beyond-free", DEMAND), rules: ["ledger"] },
  { ...seeded("demand-own-tokens-free", DEMAND), rules: ["ledger"] },
  seeded("demand-raised-while-learning", { ...DEMAND, losses: 1 }),
  seeded("demand-over-ignored", { ...MIXED, resizes: 1 }),
  seeded("demand-adopting", MIXED),
  { ...seeded("demand-want-of-the-gone", DEMAND), rules: ["ledger"] },
  inMember("given-up-in-use", "what a report gives up is used on until the answer comes", { ...DEMAND, faults: 1 }),
  seeded("demand-spent-ignored", DEMAND),
  seeded("demand-spent-lowered-by-raises", MIXED),
  seeded("demand-freed-in-an-older-epoch", DEMAND),
  byDemand("stale-counts-unspent", DEMAND),
  byDemand("raise-without-clock-error", DEMAND),
  byDemand("repeats-count", { ...DEMAND, late: 1 }),
];

/** Every trap. Those of the ledger are seeded bugs of the simulator; the others are put into the model's own member. */
export const TRAPS: readonly Trap[] = [
  seeded("raise-not-recorded", TWO),
  seeded("remainder-not-recorded", { ...THREE, max: 3 }),
  inMember("remainder-not-reported", "the token of a remainder is missing from what is reported as held", {
    ...THREE,
    ticks: 2,
    max: 3,
    faults: 1,
    from: "agreed",
  }),
  inMember("remainder-kept", "a new generation does not take the token of a remainder away", { ...TWO, max: 3 }),
  {
    ...inMember("epoch-goes-back", "a corrected clock takes a member's epoch back", {
      members: 1,
      ticks: 6,
      from: "empty",
    }),
  },
  inMember("raise-in-same-epoch", "a raise starts an epoch before it may", TWO),
  seeded("raise-without-clock-error", TWO),
  inMember("kept-raise-hastened", "a new generation starts a raise at once that was still to start", THREE),
  inMember("split-at-once", "the exact split is used as soon as the answer is agree", { ...TWO, max: 3 }),
  seeded("stale-too-early", { ...TWO, validity: 4, stale: 4 }),
  inMember("validity-not-checked", "a share is used whether it is valid or not", TWO),
  inMember("validity-from-receive", "validity counts from the answer instead of from the request", {
    ...TWO,
    ticks: 8,
    faults: 1,
    deadline: 2,
  }),
  inMember("grants-after-leaving", "tokens are granted after the farewell", TWO),
  inMember(
    "late-deposit-granted-again",
    "a token that comes back after its epoch is taken off what was granted meanwhile",
    TWO,
  ),
  inMember("expired-share-revived", "a share past its validity is used again as soon as the store answers", {
    ...TWO,
    ticks: 8,
    late: 1,
  }),
  inMember("expired-share-claimed", "a share past its validity is still reported and claimed", { ...TWO, ticks: 8 }),
  inMember("drop-delayed", "a lowered share takes effect when a raise would, but is reported at once", TWO),
  inMember("raise-not-reported", "raises still to start are missing from what is reported as held", {
    ...THREE,
    faults: 1,
    from: "empty",
  }),
  seeded("raise-beyond-free", TWO),
  seeded("agree-one-short", { ...THREE, max: 4 }),
  seeded("repeats-count", { ...TWO, late: 1 }),
  inMember("sequence-stands-still", "reports carry the number of the one before", TWO),
  seeded("learning-skipped", { ...TWO, losses: 1 }),
  inMember("ended-claim-raised", "a claim that ended while its registration was under way is taken for a raise", {
    ...TWO,
    max: 3,
    ticks: 4,
    losses: 1,
    learning: 2,
    faults: 1,
    from: "agreed",
  }),
  inMember("extras-claimed", "the remainder and pending raises are claimed after the store lost its data", {
    ...TWO,
    max: 3,
    losses: 1,
  }),
  seeded("capacity-change-unnoticed", { ...TWO, resizes: 2 }),
  seeded("spent-ignored", TWO),
  seeded("spent-lowered-by-raises", { ...TWO, faults: 1 }),
  seeded("freed-in-an-older-epoch", TWO),
  seeded("freed-epoch-stands-still", TWO),
  seeded("stale-counts-unspent", TWO),
  seeded("farewell-counts-unspent", TWO),
  seeded("learning-ends-unspent", { ...TWO, max: 3, losses: 1 }),
  seeded("new-in-old-data-unspent", { ...TWO, losses: 1, agedData: true }),
  seeded("spent-while-learning", { ...TWO, max: 3, losses: 1 }),
  inMember("use-not-told", "a report states that nothing was used", TWO),
  inMember("spent-twice", "what was given up is taken off twice", TWO),
  inMember(
    "spent-without-an-answer",
    "tokens that a report gives up count no more, although the store may not have received it",
    { ...TWO, faults: 1 },
  ),
  ...BY_DEMAND,
];

/**
 * The traps of these names, or all.
 * @throws TypeError when there is no such trap
 */
export function trapsNamed(names: readonly string[] | undefined): readonly Trap[] {
  if (names === undefined) return TRAPS;
  return names.map((name) => {
    const found = TRAPS.find((trap) => trap.name === name);
    if (found) return found;
    throw new TypeError(`--traps has "${name}"; give some of ${TRAPS.map((trap) => trap.name).join(", ")}, or none`);
  });
}

/** One of the simulator's bugs in core. */
function seeded(name: string, bounds: Partial<Bounds>): Trap {
  const bug = changeNamed(name);
  return { name, what: bug.what, bug, flaw: undefined, bounds, rules: PROMISE };
}

/** A fault of what is the same for all, among members that share by demand. */
function byDemand(name: string, bounds: Partial<Bounds>): Trap {
  return { ...seeded(name, bounds), name: `demand-${name}` };
}

function inMember(flaw: Flaw, what: string, bounds: Partial<Bounds>): Trap {
  return { name: flaw, what, bug: undefined, flaw, bounds, rules: PROMISE };
}
