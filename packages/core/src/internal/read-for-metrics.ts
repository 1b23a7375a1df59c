/**
 * A throttle's status, read by metrics. Who reads `status()` may want to know why there are no tokens: from then on the
 * throttle asks the store who fell silent, whenever it holds nothing. Metrics have no use for that answer, and read all
 * the time, so they read by this method. The same in every copy of core.
 */
export const READ_FOR_METRICS: unique symbol = Symbol.for("dt:read-for-metrics");
