import * as real from "@dt/core/ledger";
import { changeNamed, type Ledger } from "@dt-tooling/simulator/fleet";
import type { Caught } from "../report.ts";
import { DEFAULT_SEMAPHORE_BOUNDS, type SemaphoreBounds } from "./bounds.ts";
import { exploreSlots } from "./explore.ts";
import type { SlotFlaw } from "./flaw.ts";

/** A known way to get a semaphore wrong, which the model must find: more calls in flight than `max`. */
export interface SlotTrap {
  readonly name: string;
  readonly what: string;
  /** A fault of the member's side, or of the model's store around the ledger. */
  readonly flaw?: SlotFlaw;
  /** A fault of the ledger. */
  readonly ledger?: Ledger;
  /** Bounds within which it is found. */
  readonly bounds: Partial<SemaphoreBounds>;
}

const inMember = (flaw: SlotFlaw, what: string, bounds: Partial<SemaphoreBounds>): SlotTrap => ({
  ...{ name: flaw, what, flaw },
  bounds: { slow: 0, ...bounds },
});

/** One of the simulator's bugs in core. */
function seeded(name: string, bounds: Partial<SemaphoreBounds>): SlotTrap {
  const { what, ledger } = changeNamed(name);
  if (!ledger) throw new TypeError(`the bug ${name} is none of the ledger`);
  return { name, what, ledger: ledger(real), bounds: { slow: 0, ...bounds } };
}

export const SLOT_TRAPS: readonly SlotTrap[] = [
  inMember("any-offer-taken", "an offer counts whatever request it names", { ticks: 0, late: 1 }),
  inMember("lowered-with-the-answer", "a report lowers what is held only when its answer comes", {
    ticks: 0,
    faults: 1,
  }),
  inMember("nothing-claimed", "a registration claims nothing, although calls run", { ticks: 3, losses: 1 }),
  inMember("ended-claim-used", "slots claimed of a share that had ended are in use again while the group learns", {
    ...{ ticks: 2, losses: 1, waiters: 0 },
  }),
  inMember("begun-beyond-held", "a call begins beyond what is held", { ticks: 0 }),
  inMember("reported-below-running", "a report says one slot less than calls run", { ticks: 0 }),
  inMember("leaves-while-running", "a process says farewell while a call runs", { ticks: 0, leaves: 1 }),
  inMember("validity-from-the-answer", "validity counts from when the answer is read", { ticks: 4, slow: 1 }),
  inMember("signal-not-fired", "the signals of calls do not fire when validity ends", { ticks: 3 }),
  inMember("over-ignored", "a member begins calls while more is held than there is", { ticks: 3 }),
  inMember("offer-not-on-record", "an offer is hinted, and the raise is not recorded", { ticks: 0 }),
  {
    name: "stale-before-validity-ends",
    what: "a member counts as stale while its share is valid",
    bounds: { ticks: 3, slow: 0, validity: 3 },
  },
  seeded("repeats-count", { ticks: 0, late: 1 }),
  seeded("raise-not-recorded", { ticks: 0 }),
  seeded("stale-too-early", { ticks: 2 }),
  seeded("learning-skipped", { ticks: 1, losses: 1 }),
];

/** Explores a semaphore with the trap in it, until more calls are in flight than `max`, or no state is left. */
export function springSlots({ name, what, flaw, ledger = real, bounds: given }: SlotTrap): Caught {
  const bounds = { ...DEFAULT_SEMAPHORE_BOUNDS, ...given };
  const { violation, violationSteps, trace } = exploreSlots({ bounds, ledger, flaw, rules: new Set(["in-flight"]) });
  const caught = violation !== undefined;
  return { name, what, caught, steps: caught ? violationSteps : null, detail: violation?.detail ?? null, trace };
}

/**
 * The traps of these names, or all.
 * @throws TypeError when there is no such trap
 */
export function slotTrapsNamed(names: readonly string[] | undefined): readonly SlotTrap[] {
  if (names === undefined) return SLOT_TRAPS;
  return names.map((name) => {
    const found = SLOT_TRAPS.find((trap) => trap.name === name);
    if (found) return found;
    throw new TypeError(
      `--traps has "${name}"; give some of ${SLOT_TRAPS.map((trap) => trap.name).join(", ")}, or none`,
    );
  });
}
