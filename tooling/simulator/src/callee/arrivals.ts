import type { Random } from "../random.ts";
import type { OpenLoad } from "./scenario.ts";

/** The rate of an open load at an instant, in calls a second. */
export function rateAt(load: OpenLoad, seconds: number): number {
  const { wave } = load;
  const swing = wave === undefined ? 1 : 1 + wave.part * Math.sin((2 * Math.PI * seconds) / wave.periodSeconds);
  return pieceAt(load, seconds).perSecond * swing;
}

/** When calls come: a Poisson process whose rate changes. */
export class Arrivals {
  readonly #load: OpenLoad;
  readonly #random: Random;

  constructor(load: OpenLoad, random: Random) {
    this.#load = load;
    this.#random = random;
  }

  /** The first arrival after an instant, both in milliseconds; Infinity when none comes any more. */
  after(atMs: number): number {
    const most = 1 + (this.#load.wave?.part ?? 0);
    let seconds = atMs / 1_000;
    for (;;) {
      seconds = this.#next(seconds, most);
      if (this.#load.wave === undefined || seconds === Number.POSITIVE_INFINITY) return 1_000 * seconds;
      // Arrivals of the highest rate there is, thinned out to the rate of the moment.
      const piece = pieceAt(this.#load, seconds);
      if (this.#random.next() * piece.perSecond * most < rateAt(this.#load, seconds)) return 1_000 * seconds;
    }
  }

  /** An exponential step, which goes on at another pace where the rate changes. */
  #next(fromSeconds: number, factor: number): number {
    let left = -Math.log1p(-this.#random.next());
    let seconds = fromSeconds;
    for (;;) {
      const { perSecond, untilSeconds } = pieceAt(this.#load, seconds);
      const step = left / (perSecond * factor);
      if (seconds + step <= untilSeconds) return seconds + step;
      if (untilSeconds === Number.POSITIVE_INFINITY) return untilSeconds;
      left -= (untilSeconds - seconds) * perSecond * factor;
      seconds = untilSeconds;
    }
  }
}

interface Piece {
  readonly perSecond: number;
  readonly untilSeconds: number;
}

const ENDLESS = Number.POSITIVE_INFINITY;

function pieceAt({ perSecond, changes }: OpenLoad, seconds: number): Piece {
  if (changes === undefined || changes.length === 0) return { perSecond, untilSeconds: ENDLESS };
  let rate = perSecond;
  for (const change of changes) {
    if (change.atSeconds > seconds) return { perSecond: rate, untilSeconds: change.atSeconds };
    rate = change.perSecond;
  }
  return { perSecond: rate, untilSeconds: ENDLESS };
}
