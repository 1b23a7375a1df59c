export {
  type ComparisonOptions,
  compareBudgets,
  compareEdges,
  REACHABLE,
  type Reached,
  type TimedBudgets,
} from "./compare-budgets.ts";
export { EDGES } from "./edges.ts";
export { type BudgetOperation, RandomOperations } from "./random-operations.ts";
