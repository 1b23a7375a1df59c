/** Limits for each key over a whole fleet: so many calls a second for each tenant, user or address. */

export type { Check, LimitedBy, Parent, Peek } from "./check.ts";
export type { KeyedEvent, KeyedEvents } from "./events.ts";
export type { KeyLimit } from "./key-limit.ts";
export { createKeyed, Keyed } from "./keyed.ts";
export { KeyedLimiter } from "./keyed-limiter.ts";
export type { KeyedOptions } from "./options.ts";
export { getLimit, type SetKeyLimitOptions, setLimit } from "./set-limit.ts";
export type { KeyedLimiterStatus, KeyedStatus } from "./status.ts";
