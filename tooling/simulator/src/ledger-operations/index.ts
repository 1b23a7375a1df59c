export { Both, type TimedGroups } from "./both.ts";
export { compareLedgers, type LedgerComparison } from "./compare-ledgers.ts";
export { compareSlots, SLOTS_REACHABLE, type SlotComparison, type SlotsReached } from "./compare-slots.ts";
export { LivingGroups } from "./living-groups.ts";
export { REACHABLE, REACHABLE_LIMITS, type Reached } from "./reached.ts";
export { compareMassDeath, compareTurns, type Turns } from "./stories.ts";
