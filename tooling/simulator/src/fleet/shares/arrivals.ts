import { Random } from "../../random.ts";
import type { Demand, Rate } from "./demands.ts";

/** When requests arrive at one member, in milliseconds since requests began, rising. */
export type Arrivals = readonly number[];

/** Rates are looked at this often. */
const STEP_MS = 10;

/** The requests of every member until `untilMs`. The same for the same seed. */
export function arrivalsOf(demand: Demand, members: number, untilMs: number, seed: number): Arrivals[] {
  return Array.from({ length: members }, (_, member) => {
    const random = new Random(seed, `requests of ${member}`);
    return spread(demand.rateOf(member, members, random), demand.spacing, untilMs, random);
  });
}

/** Requests at this rate: where `expected` of them have come, the next one is due after one more. */
export function spread(rate: Rate, spacing: Demand["spacing"], untilMs: number, random: Random): Arrivals {
  const times: number[] = [];
  const gap = (): number => (spacing === "even" ? 1 : -Math.log(1 - random.next()));
  let due = spacing === "even" ? random.next() : gap();
  for (let atMs = 0; atMs < untilMs; atMs += STEP_MS) {
    const expected = (rate(atMs + STEP_MS / 2) * STEP_MS) / 1_000;
    let passed = 0;
    for (; expected - passed >= due; due = gap()) {
      passed += due;
      times.push(atMs + (STEP_MS * passed) / expected);
    }
    due -= expected - passed;
  }
  return times;
}
