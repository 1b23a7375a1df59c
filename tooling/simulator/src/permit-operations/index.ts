export {
  type ComparisonOptions,
  compareEdges,
  comparePermits,
  REACHABLE,
  type Reached,
  type TimedLedger,
} from "./compare-permits.ts";
export { EDGES } from "./edges.ts";
export { type PermitOperation, RandomOperations } from "./random-operations.ts";
