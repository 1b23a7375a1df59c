import { placeOnGrid, wantOnGrid } from "../ledger/wants.ts";
import { Bursts } from "./bursts.ts";

/** What an estimate is made of besides what arrived. */
export interface WantHints {
  /** Tokens that are waited for. */
  readonly waiting: number;
  /** True when something could not be granted at once since the last estimate. */
  readonly starved: boolean;
  /**
   * True when those who were not served at once wait: then the queue evens chance out. What is refused is lost, and
   * better wanted too much.
   */
  readonly patient: boolean;
  /** True when the last caller that was not served at once was refused. */
  readonly refused: boolean;
  /** True when it was found again that somebody waits nearly always. */
  readonly short: boolean;
  /** True while tokens are to be given up: a smaller want is told sooner then. */
  readonly tight: boolean;
  /** More than this, in tokens of the capacity, makes no difference to anybody. */
  readonly most: number;
}

/** Parts of the interval that arrivals are counted in, so that it slides. */
const SLOTS = 8;
/** The mean follows with this time constant. */
const TIME_CONSTANT_MS = 1_000;
/**
 * It jumps when the last interval is off by more than so many standard deviations and a request. Requests come by
 * chance and cost what they cost: the variance of an interval's tokens is the sum of the squares of the costs.
 */
const SIGMAS = 2;
/** A rise within two slots counts beyond so many: there are many looks at so few requests. */
const RISE_SIGMAS = 3;
/**
 * Where nearly always somebody waits, so many times what was told last is wanted, and a token: a loop that asks for its
 * next token when it has had the last one never asks for more than it gets, however much it could use. Measured with a
 * loop beside one that has everything: even after 8 s; without, never.
 */
const GROWTH = 1.5;
/** Who is calm tells a change so long after the last one, if nobody needs to know before. */
const CALM_MS = 10_000;
/** Below so many requests a mean without arrivals is nothing. */
const LEAST_MEAN = 0.2;

/**
 * How many tokens this process could use per epoch: the mean of the last interval's arrivals, or what is waited for if
 * that is more (docs/protocol.md, "Shares that follow demand"). Where nobody waits, it is at least what short bursts
 * needed. What is told changes less often than the mean does:
 * every change would move everybody's water level.
 */
export class WantEstimate {
  readonly #slotMs: number;
  readonly #calm: boolean;
  readonly #bursts: Bursts;
  readonly #slots = new Float64Array(SLOTS);
  /** The squares of what was asked for at once, in the same parts of the interval. */
  readonly #squares = new Float64Array(SLOTS);
  #slot = 0;
  /** Local time at which the slot under way ends. */
  #slotEndMs = 0;
  /** Tokens asked for in the slot under way. */
  #arriving = 0;
  #arrivingSquares = 0;
  /** Tokens of a typical request: the mean of what is asked for at once, weighted by itself. */
  #cost = 1;
  #mean = 0;
  #meanAtMs = 0;
  #told = 0;
  /** When what is told changed last. */
  #changedMs = Number.NEGATIVE_INFINITY;

  /**
   * @param calm true where telling a change costs much: it is told where that is of use to somebody at once, and
   *   otherwise once in ten seconds. Default false
   */
  constructor(intervalMs: number, calm: boolean = false) {
    this.#slotMs = intervalMs / SLOTS;
    this.#calm = calm;
    this.#bursts = new Bursts(intervalMs);
  }

  /** Counts tokens that were asked for. */
  add(tokens: number, nowMs: number): void {
    if (nowMs >= this.#slotEndMs) this.#roll(nowMs);
    this.#arriving += tokens;
    this.#arrivingSquares += tokens * tokens;
  }

  /** Counts requests of one token each, in the slot under way. */
  addSingles(requests: number): void {
    this.#arriving += requests;
    this.#arrivingSquares += requests;
  }

  /** Local time at which the slot under way ends. */
  get slotEndMs(): number {
    return this.#slotEndMs;
  }

  /** Tokens asked for in the last interval. */
  recent(nowMs: number): number {
    if (nowMs >= this.#slotEndMs) this.#roll(nowMs);
    return this.#slots.reduce((sum, tokens) => sum + tokens, this.#arriving);
  }

  /**
   * The want to tell now, on the ledger's grid.
   * @param scale tokens of the capacity that it takes to grant one
   */
  next(nowMs: number, hints: WantHints, scale: number): number {
    const { waiting, starved, patient, short, tight, most } = hints;
    let recent = this.recent(nowMs);
    if (recent > 0) this.#cost = this.#squares.reduce((sum, square) => sum + square, this.#arrivingSquares) / recent;
    const cost = this.#cost;
    if (starved && (!patient || this.#risesClearly())) recent = Math.max(recent, Math.min(this.#fast(), 4 * recent));
    const grown = short ? (GROWTH * this.#told + 1) / scale : 0;
    if (grown > Math.max(recent, waiting, this.#mean)) this.#mean = recent = grown;
    const isOff = Math.abs(recent - this.#mean) > SIGMAS * this.#deviation(Math.max(cost, this.#mean)) + cost;
    if (isOff) this.#mean = recent;
    else this.#mean += (recent - this.#mean) * (1 - Math.exp(-(nowMs - this.#meanAtMs) / TIME_CONSTANT_MS));
    this.#meanAtMs = nowMs;
    if (this.#mean < LEAST_MEAN * cost && recent === 0) this.#mean = 0;
    if (this.#calm && !starved && !tight && nowMs - this.#changedMs < CALM_MS) return this.#told;
    const expected = this.#expected(nowMs, hints);
    const need = Math.max(waiting, expected);
    const want = wantOnGrid(Math.min(need * scale, most));
    if (want === this.#told) return want;
    if (want === 0 || want > this.#told || this.#isClearlyLess(need, expected, tight, scale)) {
      this.#told = want;
      this.#changedMs = nowMs;
    }
    return this.#told;
  }

  /** True when clearly less is to be expected than what was told: it was told for those that waited. */
  isLess(scale: number): boolean {
    const expected = this.#wholeRequests();
    return this.#isClearlyLess(expected, expected, true, scale);
  }

  /** What the next interval needs. Where a caller that finds no token is lost, this is also what bursts needed. */
  #expected(nowMs: number, { patient, refused }: WantHints): number {
    if (patient) return this.#wholeRequests();
    return refused ? Math.max(this.#mean, this.#bursts.need(nowMs)) : this.#mean;
  }

  /**
   * The mean in whole requests of the typical cost, nothing for less than one: what is held for a request that comes
   * now and then lies idle, and one that does come can wait until others have given it up.
   */
  #wholeRequests(): number {
    const requests = this.#mean / this.#cost;
    return requests < 1 ? 0 : Math.round(requests) * this.#cost;
  }

  /** By a step of the grid, or two while there is plenty; and by what chance does to what is expected. */
  #isClearlyLess(need: number, expected: number, tight: boolean, scale: number): boolean {
    const [steps, slack] = tight ? [1, 0.5] : [2, 1];
    if (placeOnGrid(this.#told) - placeOnGrid(wantOnGrid(need * scale)) < steps) return false;
    return this.#told / scale - need > slack * this.#deviation(expected);
  }

  /** The standard deviation of so many tokens that are asked for by chance, in requests of the typical cost. */
  #deviation(tokens: number): number {
    return Math.sqrt(tokens * this.#cost);
  }

  /** What the interval would bring at the rate of its last two slots. */
  #fast(): number {
    const before = this.#slots[(this.#slot + SLOTS - 1) % SLOTS] as number;
    return ((this.#arriving + before) * SLOTS) / 2;
  }

  /** The last two slots brought clearly more than their part of the mean: not by chance. */
  #risesClearly(): boolean {
    const part = (2 * this.#mean) / SLOTS;
    return (2 * this.#fast()) / SLOTS > part + RISE_SIGMAS * this.#deviation(Math.max(this.#cost, part)) + this.#cost;
  }

  /** Begins the slot of this instant; what arrived an interval ago is forgotten. */
  #roll(nowMs: number): void {
    const slot = Math.floor(nowMs / this.#slotMs);
    this.#slots[this.#slot % SLOTS] = this.#arriving;
    this.#squares[this.#slot % SLOTS] = this.#arrivingSquares;
    this.#bursts.add(this.#arriving, this.#slot * this.#slotMs);
    this.#arriving = 0;
    this.#arrivingSquares = 0;
    for (let passed = Math.max(this.#slot + 1, slot - SLOTS + 1); passed <= slot; passed++) {
      this.#slots[passed % SLOTS] = 0;
      this.#squares[passed % SLOTS] = 0;
    }
    this.#slot = slot;
    this.#slotEndMs = (slot + 1) * this.#slotMs;
  }
}
