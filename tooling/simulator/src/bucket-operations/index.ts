export { type ComparisonOptions, compareBuckets, compareEdges, type TimedBuckets } from "./compare-buckets.ts";
export { EDGES } from "./edges.ts";
export { type BucketOperation, RandomOperations } from "./random-operations.ts";
export { REACHABLE, REACHABLE_LIMITS, type Reached } from "./reached.ts";
