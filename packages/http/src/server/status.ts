import type { StoreStatus } from "./store-watch.ts";

/** A server limit at one instant, as data. */
export interface ServerLimitStatus {
  /** Requests that were let through. */
  readonly allowed: number;
  /** Requests answered 429: a policy was used up. */
  readonly refused: number;
  /** Requests answered 503: the server had too much, or a policy could not be asked. */
  readonly shed: number;
  /** Clients that closed the connection while they waited, or before the answer was sent. */
  readonly gone: number;
  /** Requests that wait. */
  readonly waiting: number;
  /**
   * For each quota, by name: keys that are remembered, and windows that were forgotten before they ended, since there
   * were more than `maxKeys`.
   */
  readonly quotas: Readonly<Record<string, { readonly keys: number; readonly forgotten: number }>>;
  /** For each policy with a keyed limit, by name: whether its store answers, and what became of requests meanwhile. */
  readonly keyed: Readonly<Record<string, StoreStatus>>;
}
