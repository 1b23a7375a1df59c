import { Random } from "../../random.ts";
import { Crowd, LOADS, type Load } from "./loads.ts";
import { type Figures, Meter } from "./meter.ts";
import { Network, type Setting } from "./network.ts";
import { Oracle, Poll, Queue } from "./rivals.ts";
import { SemaphoreFleet } from "./semaphores.ts";
import type { SlotSystem } from "./system.ts";

/** One fleet of the table. */
export interface Cell extends Setting {
  readonly load: string;
  readonly system: string;
  readonly seed: number;
}

/** A fleet and what came of it. */
export interface Row extends Cell, Figures {}

type Make = (network: Network, processes: number, max: number) => SlotSystem;

/** The systems of the table, in its order, by their names in the prototype. */
const SYSTEMS: Readonly<Record<string, Make>> = {
  oracle: (_network, processes, max) => new Oracle(processes, max),
  poll: (network, _processes, max) => new Poll(network, max),
  queue: (network, _processes, max) => new Queue(network, max),
  V0: (network, processes, max) => new SemaphoreFleet(network, processes, max, "V0"),
  V1: (network, processes, max) => new SemaphoreFleet(network, processes, max, "V1"),
  "V1 no push": (network, processes, max) => new SemaphoreFleet(network, processes, max, "V1 no push"),
};

export const SYSTEM_NAMES: readonly string[] = Object.keys(SYSTEMS);

/** The systems whose processes hold slots: they can be killed, and their calls can cost several slots. */
export const SEMAPHORES: readonly string[] = SYSTEM_NAMES.filter((name) => name.startsWith("V"));

/** Every process has joined by then. */
const JOINED_MS = 300;
/** How often it is looked whether the others have all slots. */
const LOOK_MS = 50;

export async function runCell(cell: Cell): Promise<Row> {
  const { load: name, system: kind, seed, rttMs, lost, turnMs } = cell;
  const load = loadNamed(name);
  const network = new Network(new Random(seed), { rttMs, lost, turnMs });
  const meter = new Meter(network, load.max, load.processes);
  const system = (SYSTEMS[kind] as Make)(network, load.processes, load.max);
  const { timeline } = network;
  await timeline.run(JOINED_MS);
  load.start(new Crowd(network, system, meter), seed);
  await timeline.run(JOINED_MS + load.warmMs);
  meter.begin();
  const before = system.commands;
  const backMs = load.kills ? await whenBack(load, network, system, meter) : null;
  if (!load.kills) await timeline.run(JOINED_MS + load.warmMs + load.forMs);
  return { ...cell, ...meter.figures(system.commands - before, load.forMs), backMs };
}

/** Kills the first process. Answers after how long the others have all slots in use; null if they never have. */
async function whenBack(load: Load, network: Network, system: SlotSystem, meter: Meter): Promise<number | null> {
  const sinceMs = network.nowMs;
  system.kill?.(0);
  for (let afterMs = 2 * LOOK_MS; afterMs < load.forMs; afterMs += LOOK_MS) {
    await network.timeline.run(sinceMs + afterMs);
    if (meter.inUse - meter.inUseOf(0) === load.max) return afterMs;
  }
  return null;
}

function loadNamed(name: string): Load {
  return LOADS.find((load) => load.name === name) as Load;
}
