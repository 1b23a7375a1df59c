import type { Quota } from "@dt-tooling/backends/callee/sliding-quota";

/** What befalls a request. */
export type Fate = "ok" | "throttle" | "fail" | "slow" | "hang" | "cut";

export const FATES: readonly Fate[] = ["ok", "throttle", "fail", "slow", "hang", "cut"];

/**
 * The longest that a request may be told to take, in milliseconds: one hour. Chance and a slow phase make up to some
 * 370 times as much of it, and a timer of Node holds 24 days.
 */
export const LONGEST_TAKES_MS = 3_600_000;

/** For a while every request has the same fate. */
export interface Phase {
  readonly fate: Fate;
  readonly lastsMs: number;
  /**
   * How long a request takes at a worker in this phase; undefined for as long as always, and ten times that if the
   * fate is `slow`.
   */
  readonly takesMs: number | undefined;
}

/** What makes a callee the stand-in of a provider of language models. */
export interface ProviderSettings {
  readonly tokens: Quota;
  /** Whether it answers as server-sent events where it is asked to. */
  readonly streams: boolean;
  /** How long each token of a stream takes, in milliseconds. */
  readonly tokenTakesMs: number;
}

/** What a callee takes, and what it does with it. */
export interface CalleeSettings {
  /** 0 for one that is free. */
  readonly port: number;
  /** Requests in a window that are accepted; without it any number. */
  readonly rate: Quota | undefined;
  /** Without it, every request is a call. */
  readonly provider: ProviderSettings | undefined;
  /** Requests that are worked on at once. */
  readonly capacity: number;
  /** Requests that may wait for a worker; more are answered 503. */
  readonly queue: number;
  /** Works on requests whose clients have left as if they had not. */
  readonly finishesAll: boolean;
  /** Whether answers say how long they waited for a worker. */
  readonly serverTiming: boolean;
  /** How long a request takes at a worker, in milliseconds; the mean where times are exponential. */
  readonly takesMs: number;
  readonly exponential: boolean;
  /** Parts of the requests, from 0 to 1, that are slow, fail or are never answered. */
  readonly slow: { readonly part: number; readonly takesMs: number } | undefined;
  readonly fail: number;
  readonly hang: number;
  /** One after the other from the first request on, and again from the first phase; none for `ok` all the time. */
  readonly phases: readonly Phase[];
  /** The header that names a record, to count the records that were accepted, and those accepted more than once. */
  readonly ids: string | undefined;
}
