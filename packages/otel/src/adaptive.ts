import type { Put } from "./series.ts";

/** What of a concurrency limit's status becomes metrics. */
export interface ConcurrencyStatus {
  readonly limit: number;
  readonly inflight: number;
}

/** What of an adaptive rate's status becomes metrics. */
interface RateStatus {
  readonly rate: number;
  readonly inflight: number;
}

/** What of an adaptive throttle's status becomes metrics. */
interface ClientThrottleStatus {
  readonly probability: number;
  readonly inflight: number;
}

/** Puts what a concurrency limit has beside other limiters. */
export function putConcurrency({ limit, inflight }: ConcurrencyStatus, put: Put): void {
  put("dt.adaptive.limit", limit);
  put("dt.limit", limit);
  put("dt.usage", inflight);
  put("dt.utilization", inflight / limit);
}

/** Puts what an adaptive rate has beside other limiters. Nothing is the limit before the first refusal. */
export function putRate({ rate, inflight }: RateStatus, put: Put): void {
  put("dt.adaptive.limit", rate);
  put("dt.limit", rate);
  put("dt.limit.interval", Number.isFinite(rate) ? 1 : undefined);
  put("dt.adaptive.inflight", inflight);
}

/** Puts what an adaptive throttle has beside other limiters. */
export function putThrottleOfClient({ probability, inflight }: ClientThrottleStatus, put: Put): void {
  put("dt.adaptive.rejection.probability", probability);
  put("dt.adaptive.inflight", inflight);
}
