/** The kinds of limiters that a store keeps something of. */
export const LIMITER_KINDS = ["throttle", "pacer", "semaphore", "budget", "keyed"] as const;

export type LimiterKind = (typeof LIMITER_KINDS)[number];
