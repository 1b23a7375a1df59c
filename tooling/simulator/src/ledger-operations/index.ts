export { Both, type TimedGroups } from "./both.ts";
export { compareLedgers, type LedgerComparison } from "./compare-ledgers.ts";
export { LivingGroups } from "./living-groups.ts";
export { REACHABLE, type Reached } from "./reached.ts";
export { compareMassDeath, compareTurns, type Turns } from "./stories.ts";
