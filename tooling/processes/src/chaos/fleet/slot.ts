import { join } from "node:path";
import type { NetworkSpace } from "../space/network-space.ts";
import { TIMINGS } from "../timings.ts";
import { CALLERS, type CallerKind, type WorkerConfig } from "../worker/config.ts";
import type { StoreAddress } from "../worker/store-address.ts";
import type { Link } from "./link.ts";
import { FakedTime } from "./wall-clocks.ts";
import { WorkerProcess } from "./worker-process.ts";

/** How the workers of a run share their limit; mixed: one so and the next the other way. */
export const SHARES = ["even", "demand", "mixed"] as const;
export type Shares = (typeof SHARES)[number];

/** Callers that ask all the time. */
const STEADY: ReadonlySet<CallerKind> = new Set(["first", "always"]);
/** Where shares are even, who takes little shows nothing. */
const GREEDY = CALLERS.filter((caller) => caller !== "uneven" && caller !== "light");
const MIXED = ["even", "demand"] as const;

/** What all workers have in common. */
export interface FleetFacts {
  readonly group: string;
  /** Where their logs go. */
  readonly folder: string;
  readonly shares: Shares;
  readonly address: (link: Link) => StoreAddress;
  /** The library to set wall clocks wrong by, where there is one and the store's clock is not the process's. */
  readonly libfaketime: string | undefined;
  /** Hears of a process that ended and should not have. */
  readonly onFailure: (reason: string) => void;
}

/** A place in the fleet: one worker after the other, each a new process. */
export class Slot {
  readonly number: number;
  readonly link: Link;
  readonly space: NetworkSpace | undefined;
  readonly #facts: FleetFacts;
  readonly #faked: FakedTime | undefined;
  readonly #processes: WorkerProcess[] = [];
  #current: WorkerProcess | undefined;
  #memberId: string;
  #max: number;
  #offsetMs = 0;

  constructor(number: number, max: number, link: Link, space: NetworkSpace | undefined, facts: FleetFacts) {
    const { libfaketime, folder } = facts;
    this.number = number;
    this.link = link;
    this.space = space;
    this.#facts = facts;
    this.#max = max;
    this.#memberId = `worker-${number}`;
    this.#faked = libfaketime === undefined ? undefined : new FakedTime(libfaketime, join(folder, `clock-${number}`));
    this.#faked?.set(0);
  }

  /** The process that runs here now. */
  get worker(): WorkerProcess {
    if (this.#current === undefined) throw new Error(`worker ${this.number} was never started`);
    return this.#current;
  }

  /** Starts the next process of this place, under the id of the last one or a new one. */
  start(as: "same" | "new"): WorkerProcess {
    const boot = this.#processes.length + 1;
    if (as === "new") this.#memberId = `worker-${this.number}-${boot}`;
    const name = `worker-${this.number}-boot-${String(boot).padStart(3, "0")}`;
    const { group, folder, address, onFailure } = this.#facts;
    const shares = this.#facts.shares === "mixed" ? MIXED[(this.number + boot) % 2] : this.#facts.shares;
    // Another one after each start, so that few workers try all of them.
    const callers = this.#facts.shares === "even" ? GREEDY : CALLERS;
    const caller = callers[(this.number + boot - 2) % callers.length] as CallerKind;
    const config: WorkerConfig = {
      group,
      memberId: this.#memberId,
      max: this.#max,
      timings: TIMINGS,
      store: address(this.link),
      caller,
      shares: shares as "even" | "demand",
      // Half of those that would use a whole share also when it comes one token at a time.
      release: STEADY.has(caller) && (this.number + boot) % 2 === 1 ? "even" : "epoch",
      log: join(folder, `${name}.jsonl`),
      wallClock: this.#faked ? "libfaketime" : "Date",
      offsetMs: this.#offsetMs,
    };
    const worker = new WorkerProcess(name, config, { prefix: this.space?.prefix ?? [], faked: this.#faked });
    void worker.ended.then((how) => how !== undefined && onFailure(how));
    this.#current = worker;
    this.#processes.push(worker);
    return worker;
  }

  set max(max: number) {
    this.#max = max;
    this.#current?.tell({ type: "max", max });
  }

  set wallClock(offsetMs: number) {
    this.#offsetMs = offsetMs;
    this.#faked?.set(offsetMs);
    this.#current?.tell({ type: "clock", offsetMs });
  }

  /** Lets the worker leave, and waits until it has; uses force after a while. */
  async leave(withinMs: number): Promise<void> {
    const { worker } = this;
    worker.tell({ type: "leave" });
    const timer = setTimeout(() => void worker.kill(), withinMs);
    await worker.ended;
    clearTimeout(timer);
  }

  /** Kills whatever runs here, an older process with the same id included. */
  async end(): Promise<void> {
    await Promise.all(this.#processes.filter(({ running }) => running).map((worker) => worker.kill()));
    await this.link.close();
    await this.space?.remove();
  }
}
