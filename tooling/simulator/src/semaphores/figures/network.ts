import { Timeline } from "../../fleet/engine/timeline.ts";
import type { Random } from "../../random.ts";

/** How the network between processes and their store is. */
export interface Setting {
  /** A round trip on average, in milliseconds; a hint takes half of it. */
  readonly rttMs: number;
  /** The part of the hints that is lost. */
  readonly lost: number;
  /** The `turn` of the semaphores, in milliseconds. */
  readonly turnMs: number;
}

/** Time, chance and the network of one fleet. One stream of chance for everything, as in the prototype. */
export class Network {
  readonly timeline = new Timeline();
  readonly random: Random;
  readonly setting: Setting;

  constructor(random: Random, setting: Setting) {
    this.random = random;
    this.setting = setting;
  }

  get nowMs(): number {
    return this.timeline.nowMs;
  }

  after(delayMs: number, run: () => void): void {
    this.timeline.after(Math.max(0, delayMs), run);
  }

  /** A message arrives after a quarter to three quarters of a round trip. */
  send(arrive: () => void): void {
    const { rttMs } = this.setting;
    this.after(this.random.between(0.25 * rttMs, 0.75 * rttMs), arrive);
  }

  isLost(): boolean {
    const { lost } = this.setting;
    return lost > 0 && this.random.chance(lost);
  }

  /** A time with this mean, as between two calls of many independent callers. */
  exponential(meanMs: number): number {
    return exponential(this.random, meanMs);
  }
}

export function exponential(random: Random, meanMs: number): number {
  return -meanMs * Math.log(1 - random.next());
}
