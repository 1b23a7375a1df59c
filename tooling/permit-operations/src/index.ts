export {
  type ComparisonOptions,
  comparePermits,
  REACHABLE,
  type Reached,
  type TimedLedger,
} from "./compare-permits.ts";
export { type PermitOperation, RandomOperations } from "./random-operations.ts";
