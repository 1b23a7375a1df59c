import { firstToken, ownedTokens } from "./split.ts";

/**
 * How a share becomes available within an epoch: all at its start, or one token at a time, evenly spaced over the
 * group.
 */
export type Release = "epoch" | "even";

/** The part of an epoch's tokens that one member may grant. */
export interface Share {
  /** Whole tokens. */
  readonly tokens: number;
  /**
   * Where they lie in the epoch when released evenly: token `i` of the share comes after `(first + i * step) / length`
   * of the interval.
   */
  readonly first: number;
  readonly step: number;
  readonly length: number;
}

/**
 * The share of a member of an agreed pool: the tokens it owns among `0..tokens-1`, each at its own instant
 * `k / tokens`.
 */
export function splitShare(tokens: number, rank: number, epoch: number, memberCount: number, stride: number): Share {
  return {
    tokens: ownedTokens(tokens, rank, epoch, memberCount, stride),
    first: firstToken(rank, epoch, memberCount, stride),
    step: memberCount,
    length: Math.max(1, tokens),
  };
}

/**
 * The share of a member without agreement: `tokens` of its own, evenly spaced, shifted by its rank so that members do
 * not coincide.
 */
export function heldShare(tokens: number, rank: number, memberCount: number): Share {
  return { tokens, first: (rank + 0.5) / memberCount, step: 1, length: Math.max(1, tokens) };
}

/** No tokens. */
export const NO_SHARE: Share = { tokens: 0, first: 0, step: 1, length: 1 };

/** Far above the rounding of a time in milliseconds, and far below what any timer can tell apart. */
const SOONEST_MS = 0.001;

/** How long a token is kept that came due while a caller waited: longer than a timer is late on a busy machine. */
const KEPT_MS = 100;

/**
 * One epoch's tokens of one member: what was released, granted, given back. Pure arithmetic on the times passed in.
 * With `release: "even"` unused tokens accumulate up to `burst`; what accumulates beyond is forfeited, so that a pause
 * is not followed by a rush that a callee with a sliding window would refuse. Tokens that came due while a caller
 * waited were not unused, but late, as timers are: they are kept for 100 ms, however many they are.
 */
export class Allotment {
  readonly #release: Release;
  readonly #fixedBurst: number | undefined;
  #tokens = 0;
  #burst = 1;
  #taken = 0;
  #discharged = 0;
  #idle = 0;
  /** How many of those released are gone: granted, or forfeited. */
  #gone = 0;
  #startMs = 0;
  #perMs = 0;
  #first = 0;
  /** No share was set in this epoch yet. */
  #fresh = true;
  /** When callers last began to wait, and until when they are known to have waited. */
  #waitedFromMs = Number.NEGATIVE_INFINITY;
  #waitedUntilMs = Number.NEGATIVE_INFINITY;

  /** Without `burst`, 2 % of the share, at least one token. */
  constructor(release: Release, burst?: number) {
    this.#release = release;
    this.#fixedBurst = burst;
  }

  /** Tokens of the share in this epoch. */
  get tokens(): number {
    return this.#tokens;
  }

  /** Tokens granted in this epoch and not deposited, in whichever way: what counts as used for the mode. */
  get used(): number {
    return this.#taken + this.#discharged - this.#idle;
  }

  /** Tokens granted in this epoch that count against the share. */
  get charged(): number {
    return this.#taken;
  }

  /** Begins an epoch: nothing granted, nothing forfeited. */
  begin(): void {
    this.#taken = 0;
    this.#discharged = 0;
    this.#idle = 0;
    this.#gone = 0;
    this.#fresh = true;
  }

  /**
   * Sets or changes the share of the current epoch, which starts at `startMs` on the member's clock. What was
   * granted stays counted. What a share that grows at `nowMs` would have released before was another member's then:
   * of that the burst is there at most.
   */
  setShare(share: Share, startMs: number, intervalMs: number, nowMs: number): void {
    const releasedBefore = this.#released(nowMs);
    const availableBefore = this.available(nowMs);
    this.#tokens = share.tokens;
    this.#burst = this.#burstOf(share.tokens);
    this.#startMs = startMs;
    // Counted in this member's own tokens, so that a grant needs no division.
    this.#perMs = share.length / (share.step * intervalMs);
    this.#first = share.first / share.step;
    const released = this.#released(nowMs);
    if (released > releasedBefore && !this.#fresh)
      this.#gone = Math.max(this.#gone, released - Math.max(availableBefore, this.#burst));
    this.#fresh = false;
  }

  /** Grants up to `n` tokens at `nowMs`; returns how many. */
  take(n: number, nowMs: number): number {
    // Short, and without a call of `available`: with it a grant does not fit into its caller's compiled code, and an
    // awaited one takes 85 ns instead of 77.
    const released = this.#released(nowMs);
    let gone = this.#gone;
    const beyond = released - this.#burst;
    if (beyond > gone) {
      // What has accumulated beyond the burst is forfeited, unless a caller waited for it a moment ago.
      if (nowMs - KEPT_MS < this.#waitedUntilMs) return this.#takeLate(n, nowMs, released);
      gone = beyond;
    }
    const granted = Math.min(n, Math.max(0, released - gone));
    this.#gone = gone + granted;
    this.#taken += granted;
    return granted;
  }

  /** Grants all of `n` tokens at `nowMs`, or none; returns `n` or 0. */
  takeAll(n: number, nowMs: number): number {
    if (this.available(nowMs) < n) return 0;
    const granted = this.take(n, nowMs);
    if (granted === n) return n;
    // An allotment of two groups may find less than it saw.
    this.takeBack(granted);
    return 0;
  }

  /** A caller begins to wait at `nowMs`, as the only one. Nothing can be granted then: it would have been. */
  waitsFrom(nowMs: number): void {
    this.#waitedFromMs = nowMs;
    this.#waitedUntilMs = nowMs;
  }

  /** Since {@link waitsFrom} a caller has been waiting, until `nowMs` at least. */
  waitedUntil(nowMs: number): void {
    this.#waitedUntilMs = nowMs;
  }

  /**
   * Takes back `n` tokens that were certainly granted in this epoch; returns how many of them can be granted again. Not
   * those that were given up: they belong to no share any more, and at most count as unused.
   */
  takeBack(n: number): number {
    const again = Math.min(n, this.#taken);
    this.#taken -= again;
    this.#gone -= again;
    this.#idle = Math.min(this.#idle + n - again, this.#taken + this.#discharged);
    return again;
  }

  /**
   * So many of the tokens granted in this epoch do not count against the share any more: they were given up, used. At
   * most those that do count still: since they were reported as used, some may have been deposited.
   */
  discharge(n: number): void {
    const discharged = Math.min(n, this.#taken);
    this.#taken -= discharged;
    this.#gone -= discharged;
    this.#discharged += discharged;
  }

  /** Tokens that could be granted at `nowMs`. */
  available(nowMs: number): number {
    const due = this.#released(nowMs) - this.#gone;
    return Math.max(0, due > this.#burst ? this.#kept(nowMs) : due);
  }

  /** The most tokens that may be there at once in this epoch, while no caller waits. */
  get most(): number {
    return Math.min(this.#tokens, this.#burst);
  }

  /**
   * When `n` tokens of this epoch are available, on the member's clock; `Infinity` when they will not be. Later
   * than `nowMs` unless one is available now: rounding may put the instant of a token just before the time at which it
   * counts as released, and a caller that waits must get there.
   */
  nextAt(nowMs: number, n = 1): number {
    if (this.available(nowMs) >= n) return nowMs;
    if (this.#release === "epoch" || this.#gone + n > this.#tokens) return Number.POSITIVE_INFINITY;
    return Math.max(nowMs + SOONEST_MS, this.#startMs + (this.#first + this.#gone + n - 1) / this.#perMs);
  }

  #takeLate(n: number, nowMs: number, released: number): number {
    const kept = this.#kept(nowMs);
    const granted = Math.min(n, kept);
    this.#gone = released - kept + granted;
    this.#taken += granted;
    return granted;
  }

  /**
   * How many are kept at `nowMs` of tokens that have accumulated beyond the burst. Counted by time, so that it also
   * holds after a change of the share, and forgets what came due in an epoch before.
   */
  #kept(nowMs: number): number {
    const released = this.#released(Math.max(this.#waitedFromMs, nowMs - KEPT_MS));
    return Math.max(this.#burst, this.#released(this.#waitedUntilMs) - Math.max(this.#gone, released));
  }

  /** Tokens that have come by then; below 0 before the first. */
  #released(nowMs: number): number {
    const tokens = this.#tokens;
    if (this.#release === "epoch") return tokens;
    const released = (nowMs - this.#startMs) * this.#perMs - this.#first + 1;
    return released < tokens ? Math.floor(released) : tokens;
  }

  /** The most that may accumulate: without evenness, all. */
  #burstOf(tokens: number): number {
    if (this.#release === "epoch") return tokens;
    return this.#fixedBurst ?? Math.max(1, Math.ceil(tokens * 0.02));
  }
}
