import type { createThrottle } from "@dt/core";
import { arrivalsOf } from "./arrivals.ts";
import { DEMANDS, type Demand } from "./demands.ts";
import { DemandFleet, EPOCH_MS, SHARINGS, type Sharing } from "./fleet.ts";
import { type Measures, measures } from "./measures.ts";
import { oracle } from "./oracle.ts";

/** One fleet of the table. */
export interface Cell {
  readonly members: number;
  /** Name of a demand and of a way to share. */
  readonly demand: string;
  readonly shares: string;
  /** How long is measured, after the warm-up. */
  readonly seconds: number;
  readonly seed: number;
}

/** A cell and what came of it. */
export interface Row extends Cell, Measures {}

/** Time that a fleet has to settle before anything is counted. */
const WARM_UP_MS = 10_000;

/** @param throttleOf see {@link DemandFleet} */
export async function runCell(cell: Cell, throttleOf?: typeof createThrottle): Promise<Row> {
  const { members, seconds, seed } = cell;
  const demand = demandNamed(cell.demand);
  const max = demand.max(members);
  const untilMs = WARM_UP_MS + seconds * 1_000;
  const arrivals = arrivalsOf(demand, members, untilMs, seed);
  const { patienceMs } = demand;
  const world = { arrivals, max, patienceMs, fromMs: WARM_UP_MS, untilMs };
  const best = oracle({ ...world, epochMs: EPOCH_MS });
  const counts = await new DemandFleet({ ...world, sharing: sharingNamed(cell.shares), seed }, throttleOf).run();
  return { ...cell, ...measures(counts, best, max, seconds) };
}

export function demandNamed(name: string): Demand {
  return found("demand", name, DEMANDS);
}

export function sharingNamed(name: string): Sharing {
  return found("shares", name, SHARINGS);
}

/** @throws TypeError that names the option and what it may be */
function found<T extends { readonly name: string }>(option: string, name: string, among: readonly T[]): T {
  const one = among.find((candidate) => candidate.name === name);
  if (one) return one;
  throw new TypeError(`--${option} is "${name}"; give one or more of ${among.map((each) => each.name).join(", ")}`);
}
