/**
 * A service under load, as data. Times are in milliseconds and seconds as the names say, rates in calls a second. What
 * a call weighs is its cost: a call of cost 3 needs three servers at once, and takes three times as much of a limit.
 */
export interface Scenario {
  readonly name: string;
  /** One line for people. */
  readonly title: string;
  readonly seconds: number;
  /** What is judged: goodput and latency in this time. */
  readonly measured: { readonly fromSeconds: number; readonly toSeconds: number };
  readonly callee: Callee;
  readonly clients: readonly Clients[];
  /** A client gives a call up after this long. */
  readonly timeoutMs: number;
  /** Whether the callee is told of calls that were given up; otherwise it does their work all the same. */
  readonly cancels: boolean;
}

/** A queue, and servers that take from it, first in first out. */
export interface Callee {
  readonly servers: number;
  readonly service: Service;
  /** Calls that may wait; those that come on top are refused at once. Unbounded by default. */
  readonly queue?: number;
  /**
   * Calls get slower the more of them run: by a factor of 1 + contention (n - 1) + coherence n (n - 1) with n at a
   * time. Of the n when a call begins.
   */
  readonly contention?: number;
  readonly coherence?: number;
  /** Everything stands still for a while, again and again, at random: garbage collection, say. */
  readonly pauses?: { readonly everyMs: number; readonly lastMs: number };
  /** The part of the calls, 0 to 1, that fail at once for reasons of their own, without a server. */
  readonly failures?: number;
  /** What becomes different, and when. */
  readonly changes?: readonly CalleeChange[];
}

export interface CalleeChange {
  readonly atSeconds: number;
  readonly servers?: number;
  /** Service takes so many times as long as at the beginning. */
  readonly slower?: number;
  readonly failures?: number;
  /** The part of the calls, 0 to 1, that are refused at once (429, 503) whatever the queue is. */
  readonly refusals?: number;
}

/** How long servers work on a call, in milliseconds. */
export type Service =
  | { readonly kind: "fixed"; readonly ms: number }
  | { readonly kind: "exponential"; readonly meanMs: number }
  | { readonly kind: "bimodal"; readonly fastMs: number; readonly slowMs: number; readonly slowShare: number }
  /** `spread` is the standard deviation of the logarithm: 0 is fixed, 1 is wide. */
  | { readonly kind: "lognormal"; readonly medianMs: number; readonly spread: number };

/** Clients of one kind; each has a limit of its own. */
export interface Clients {
  /** How many (default 1). */
  readonly count?: number;
  /** When the first begins, and how much later each next one (default 0). */
  readonly startSeconds?: number;
  readonly staggerSeconds?: number;
  /** Network time of a call, both ways together (default 2). */
  readonly roundTripMs?: number;
  /** What a call weighs, or what parts of the calls weigh (default 1). */
  readonly cost?: number | readonly { readonly cost: number; readonly share: number }[];
  /** They use this whatever is compared, such as "none"; see `limiters.ts`. */
  readonly limiter?: string;
  readonly load: Load;
}

/** What each client of a kind sends. */
export type Load = OpenLoad | ClosedLoad;

/** Calls come whatever happened to those before: a Poisson process. */
export interface OpenLoad {
  readonly kind: "open";
  readonly perSecond: number;
  readonly changes?: readonly { readonly atSeconds: number; readonly perSecond: number }[];
  /** The rate swings around its value: by `part` of it, once in `periodSeconds`. */
  readonly wave?: { readonly periodSeconds: number; readonly part: number };
}

/** Users who wait for the answer to a call, think (exponential), and call again. */
export interface ClosedLoad {
  readonly kind: "closed";
  readonly users: number;
  readonly thinkMs: number;
}
