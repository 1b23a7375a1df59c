import type { Step } from "./step.ts";

/** What a fleet that calls this service may be given. */
export interface Suggestion {
  /** For `createThrottle({ max, interval: "1s" })`. */
  readonly max: number;
  /** For a fleet's concurrency limits together. */
  readonly concurrency: number;
}

/** Requests leave evenly and arrive with so much jitter, in milliseconds of a second (docs/headroom.md). */
const JITTER_MS = 30;

/**
 * From the highest rate at which the service kept to its objective: as many a second, less the headroom that jitter
 * takes in a sliding second; and as many at a time as were in flight then.
 */
export function suggest({ throughput, inflight }: Pick<Step, "throughput" | "inflight">): Suggestion {
  const headroom = Math.max(1, Math.ceil((throughput * JITTER_MS) / (1000 + JITTER_MS)));
  return { max: Math.max(1, Math.floor(throughput) - headroom), concurrency: Math.max(1, Math.ceil(inflight)) };
}
