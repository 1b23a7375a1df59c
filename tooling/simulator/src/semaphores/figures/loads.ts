import { Random } from "../../random.ts";
import type { Meter } from "./meter.ts";
import { exponential, type Network } from "./network.ts";
import type { SlotSystem } from "./system.ts";

/** The callers of a fleet: those of the prototype, in its order of events. */
export interface Load {
  readonly name: string;
  /** Loads of one group are measured together, as the prototype does. */
  readonly group: string;
  readonly what: string;
  readonly processes: number;
  readonly max: number;
  /** How long the fleet runs before it is measured, and how long it is measured. */
  readonly warmMs: number;
  readonly forMs: number;
  /** The first process is killed then, and it is measured when the others have all slots. */
  readonly kills?: true;
  /** Calls take several slots: rivals know no such calls. */
  readonly costs?: true;
  start(crowd: Crowd, seed: number): void;
}

/** Calls are so much shorter or longer, by chance. */
const SHORTEST = 0.8;
const LONGEST = 1.2;
/** A light caller calls now and then. */
const LIGHT_EVERY_MS = 2_000;
/** A caller of a process that is off looks again after 50 to 100 ms. */
const LOOK_MS = 50;

/** Callers of a fleet. */
export class Crowd {
  readonly network: Network;
  readonly #system: SlotSystem;
  readonly #meter: Meter;

  constructor(network: Network, system: SlotSystem, meter: Meter) {
    this.network = network;
    this.#system = system;
    this.#meter = meter;
  }

  /** So many callers in each process: each takes a slot, holds it, and takes the next. */
  closed(callers: readonly number[], holdMs: number, isOn: (process: number) => boolean = () => true): void {
    for (const [process, count] of callers.entries())
      for (let caller = 0; caller < count; caller++) this.#loop(process, holdMs, isOn);
  }

  #loop(process: number, holdMs: number, isOn: (process: number) => boolean): void {
    const { network } = this;
    const again = (): void => this.#loop(process, holdMs, isOn);
    if (isOn(process)) this.#call(process, holdMs, "busy", again);
    else network.after(LOOK_MS + LOOK_MS * network.random.next(), again);
  }

  /** A process that takes one slot now and then. */
  light(process: number, holdMs: number): void {
    this.network.after(this.network.exponential(LIGHT_EVERY_MS), () => {
      this.#call(process, holdMs, "light", () => undefined);
      this.light(process, holdMs);
    });
  }

  /** Calls that take several slots at once, one after the other with a pause. */
  dear(process: number, cost: number, holdMs: number, pauseMs: number): void {
    const { network } = this;
    this.#meter.asked(cost);
    const askedMs = network.nowMs;
    this.#system.acquire(
      process,
      (end) => {
        this.#meter.began(process, network.nowMs - askedMs, "light", cost);
        network.after(holdMs, () => {
          this.#meter.ended(process, holdMs, cost);
          end();
          network.after(pauseMs, () => this.dear(process, cost, holdMs, pauseMs));
        });
      },
      cost,
    );
  }

  #call(process: number, holdMs: number, kind: "busy" | "light", ended: () => void): void {
    const { network } = this;
    this.#meter.asked();
    const askedMs = network.nowMs;
    this.#system.acquire(process, (end) => {
      this.#meter.began(process, network.nowMs - askedMs, kind);
      const forMs = holdMs * network.random.between(SHORTEST, LONGEST);
      network.after(forMs, () => {
        this.#meter.ended(process, forMs);
        end();
        ended();
      });
    });
  }
}

function each(processes: number, callers: number): number[] {
  return Array.from({ length: processes }, () => callers);
}

function handover(holdMs: number, forMs: number): Load {
  return {
    name: `handover-${holdMs}`,
    group: "handover",
    what: `20 processes, max 5, calls of ${holdMs} ms, 4 callers each: all want more`,
    processes: 20,
    max: 5,
    warmMs: Math.max(3_000, 2 * holdMs),
    forMs,
    start: (crowd) => crowd.closed(each(20, 4), holdMs),
  };
}

function plenty(holdMs: number, forMs: number): Load {
  return {
    name: `plenty-${holdMs}`,
    group: "plenty",
    what: `10 processes, max 100, calls of ${holdMs} ms, 15 callers each: all want more`,
    processes: 10,
    max: 100,
    warmMs: Math.max(3_000, 2 * holdMs),
    forMs,
    start: (crowd) => crowd.closed(each(10, 15), holdMs),
  };
}

function onOff(periodMs: number, holdMs: number): Load {
  return {
    name: `on-off-${periodMs}-${holdMs}`,
    group: "skew",
    what: `10 processes, max 100, calls of ${holdMs} ms; each has 28 callers for 30 % of about ${periodMs} ms`,
    processes: 10,
    max: 100,
    warmMs: 3_000,
    forMs: 60_000,
    start: (crowd, seed) => {
      const on = each(10, 0).map(() => false);
      for (const process of on.keys()) {
        const random = new Random(seed * 100 + process);
        const flip = (): void => {
          on[process] = !on[process];
          crowd.network.after(exponential(random, on[process] ? 0.3 * periodMs : 0.7 * periodMs), flip);
        };
        crowd.network.after(exponential(random, periodMs), flip);
      }
      crowd.closed(each(10, 28), holdMs, (process) => on[process] as boolean);
    },
  };
}

function lightBeside(name: string, max: number, holdMs: number, callers: number): Load {
  return {
    name,
    group: "light",
    what: `5 processes that call every 2 s beside 5 with ${callers} callers, max ${max}, calls of ${holdMs} ms`,
    processes: 10,
    max,
    warmMs: 3_000,
    forMs: 60_000,
    start: (crowd) => {
      crowd.closed([...each(5, 0), ...each(5, callers)], holdMs);
      for (let process = 0; process < 5; process++) crowd.light(process, holdMs);
    },
  };
}

const ZIPF = Array.from({ length: 10 }, (_, rank) => Math.round(150 / (rank + 1) / 2.93));

/** Every load of the table, in its order. */
export const LOADS: readonly Load[] = [
  handover(5, 20_000),
  handover(100, 40_000),
  handover(10_000, 300_000),
  plenty(5, 5_000),
  plenty(100, 20_000),
  plenty(10_000, 200_000),
  {
    name: "one-busy",
    group: "skew",
    what: "5 processes, max 50, calls of 100 ms: one has 75 callers, the others none",
    processes: 5,
    max: 50,
    warmMs: 3_000,
    forMs: 20_000,
    start: (crowd) => crowd.closed([75, 0, 0, 0, 0], 100),
  },
  {
    name: "zipf",
    group: "skew",
    what: `10 processes, max 100, calls of 100 ms, by Zipf's law 150 % of max: ${ZIPF.join(", ")} callers`,
    processes: 10,
    max: 100,
    warmMs: 3_000,
    forMs: 20_000,
    start: (crowd) => crowd.closed(ZIPF, 100),
  },
  onOff(10_000, 100),
  onOff(2_000, 100),
  onOff(10_000, 1_000),
  lightBeside("light-5", 40, 5, 20),
  lightBeside("light-100", 40, 100, 20),
  lightBeside("light-1000", 40, 1_000, 20),
  lightBeside("light-few", 2, 20, 20),
  lightBeside("light-idle", 40, 100, 0),
  {
    name: "many",
    group: "large",
    what: "100 processes, max 25, calls of 20 ms, 4 callers each: all want more",
    processes: 100,
    max: 25,
    warmMs: 3_000,
    forMs: 15_000,
    start: (crowd) => crowd.closed(each(100, 4), 20),
  },
  {
    name: "many-light",
    group: "large",
    what: "5 processes that call every 2 s beside 95 with 15 callers, max 1,000, calls of 100 ms",
    processes: 100,
    max: 1_000,
    warmMs: 3_000,
    forMs: 15_000,
    start: (crowd) => {
      crowd.closed([...each(5, 0), ...each(95, 15)], 100);
      for (let process = 0; process < 5; process++) crowd.light(process, 100);
    },
  },
  {
    name: "crash",
    group: "crash",
    what: "10 processes, max 20, calls of 100 ms, 8 callers each: one is killed; when the others have all slots in use",
    processes: 10,
    max: 20,
    warmMs: 4_700,
    forMs: 20_000,
    kills: true,
    start: (crowd) => crowd.closed(each(10, 8), 100),
  },
  {
    name: "cost",
    group: "cost",
    what: "6 processes, max 6, calls of 50 ms: one has 2 callers of cost 5, the others 10 of cost 1 each",
    processes: 6,
    max: 6,
    warmMs: 3_000,
    forMs: 60_000,
    costs: true,
    start: (crowd) => {
      crowd.closed([0, ...each(5, 10)], 50);
      crowd.dear(0, 5, 50, 500);
      crowd.dear(0, 5, 50, 500);
    },
  },
];
