import { firstToken, ownedTokens } from "./split.ts";

/**
 * How a share becomes available within an epoch: all at its start, or one token at a time, evenly spaced over the
 * group.
 */
export type Release = "epoch" | "even";

/** The part of an epoch's tokens that one processor may grant. */
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
export function agreedShare(tokens: number, rank: number, epoch: number, poolSize: number, stride: number): Share {
  return {
    tokens: ownedTokens(tokens, rank, epoch, poolSize, stride),
    first: firstToken(rank, epoch, poolSize, stride),
    step: poolSize,
    length: Math.max(1, tokens),
  };
}

/**
 * The share of a member without agreement: `tokens` of its own, evenly spaced, shifted by its rank so that members do
 * not coincide.
 */
export function heldShare(tokens: number, rank: number, poolSize: number): Share {
  return { tokens, first: (rank + 0.5) / poolSize, step: 1, length: Math.max(1, tokens) };
}

/** No tokens. */
export const NO_SHARE: Share = { tokens: 0, first: 0, step: 1, length: 1 };

/** Far above the rounding of a time in milliseconds, and far below what any timer can tell apart. */
const SOONEST_MS = 0.001;

/**
 * One epoch's tokens of one processor: what was released, granted, given back. Pure arithmetic on the times passed in.
 * With `release: "even"` unused tokens accumulate up to `burst`; what accumulates beyond is forfeited, so that a pause
 * is not followed by a rush that a callee with a sliding window would refuse.
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
  }

  /**
   * Sets or changes the share of the current epoch, which starts at `startMs` on the processor's clock. What was
   * granted stays counted.
   */
  setShare(share: Share, startMs: number, intervalMs: number): void {
    this.#tokens = share.tokens;
    this.#burst = this.#burstOf(share.tokens);
    this.#startMs = startMs;
    // Counted in this processor's own tokens, so that a grant needs no division.
    this.#perMs = share.length / (share.step * intervalMs);
    this.#first = share.first / share.step;
  }

  /** Grants up to `n` tokens at `nowMs`; returns how many. */
  take(n: number, nowMs: number): number {
    // Short, and without a call of `available`: with it a grant does not fit into its caller's compiled code, and an
    // awaited one takes 85 ns instead of 77.
    const released = this.#released(nowMs);
    // What has accumulated beyond the burst is forfeited.
    const gone = Math.max(this.#gone, released - this.#burst);
    const granted = Math.min(n, Math.max(0, released - gone));
    this.#gone = gone + granted;
    this.#taken += granted;
    return granted;
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

  /** So many of the tokens granted in this epoch do not count against the share any more: they were given up, used. */
  discharge(n: number): void {
    this.#taken -= n;
    this.#gone -= n;
    this.#discharged += n;
  }

  /**
   * Counts up to `n` of the tokens granted in this epoch as unused; returns how many. They cannot be granted again:
   * nobody says that they were granted in this epoch, and a token of an earlier one would be granted on top of this
   * epoch's.
   */
  countIdle(n: number): number {
    const accepted = Math.min(n, this.used);
    this.#idle += accepted;
    return accepted;
  }

  /** Tokens that could be granted at `nowMs`. */
  available(nowMs: number): number {
    const due = this.#released(nowMs) - this.#gone;
    return Math.max(0, Math.min(due, this.#burst));
  }

  /**
   * When the next token of this epoch becomes available, on the processor's clock; `Infinity` when none will. Later
   * than `nowMs` unless one is available now: rounding may put the instant of a token just before the time at which it
   * counts as released, and a caller that waits must get there.
   */
  nextAt(nowMs: number): number {
    if (this.available(nowMs) > 0) return nowMs;
    if (this.#release === "epoch" || this.#gone >= this.#tokens) return Number.POSITIVE_INFINITY;
    return Math.max(nowMs + SOONEST_MS, this.#startMs + (this.#first + this.#gone) / this.#perMs);
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
