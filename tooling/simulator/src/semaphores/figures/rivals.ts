import type { Network } from "./network.ts";
import type { End, SlotSystem } from "./system.ts";

/** Lives so long without an extension: a lease of 10 s is extended at 0.8 of its length. */
const EXTEND_MS = 8_000;
/** redis-semaphore asks again after so long. */
const ASK_AGAIN_MS = 10;

interface Caller {
  readonly begin: (end: End) => void;
}

/** Knows everything at once: a free slot goes to the process with fewest slots in use. */
export class Oracle implements SlotSystem {
  readonly commands = 0;
  readonly #max: number;
  readonly #queues: Caller[][];
  readonly #inUse: number[];
  readonly #lastTurn: number[];
  #used = 0;
  #turns = 1;

  constructor(processes: number, max: number) {
    this.#max = max;
    this.#queues = Array.from({ length: processes }, () => []);
    this.#inUse = this.#queues.map(() => 0);
    this.#lastTurn = this.#queues.map(() => 0);
  }

  acquire(process: number, begin: (end: End) => void): void {
    this.#queues[process]?.push({ begin });
    this.#serve();
  }

  #serve(): void {
    while (this.#used < this.#max) {
      const next = this.#next();
      const caller = this.#queues[next]?.shift();
      if (!caller) return;
      this.#used += 1;
      this.#inUse[next] = (this.#inUse[next] as number) + 1;
      this.#lastTurn[next] = this.#turns++;
      caller.begin(() => {
        this.#used -= 1;
        this.#inUse[next] = (this.#inUse[next] as number) - 1;
        this.#serve();
      });
    }
  }

  /** The process with fewest slots in use of those that wait, the one whose turn was longest ago among equals. */
  #next(): number {
    let best = -1;
    for (const [process, queue] of this.#queues.entries())
      if (queue.length > 0 && (best < 0 || this.#isBefore(process, best))) best = process;
    return best;
  }

  #isBefore(process: number, other: number): boolean {
    const [mine, its] = [this.#inUse[process] as number, this.#inUse[other] as number];
    return mine < its || (mine === its && (this.#lastTurn[process] as number) < (this.#lastTurn[other] as number));
  }
}

/** What a store per slot has in common: a lease for each slot in use, which is extended. */
abstract class LeasedSlots implements SlotSystem {
  commands = 0;
  protected used = 0;
  protected readonly max: number;
  protected readonly network: Network;

  constructor(network: Network, max: number) {
    this.network = network;
    this.max = max;
  }

  abstract acquire(process: number, begin: (end: End) => void): void;

  /** The store got the slot back. */
  protected abstract freed(): void;

  /** A command: `arrived` runs at the store. */
  protected command(arrived: () => void): void {
    this.commands += 1;
    this.network.send(arrived);
  }

  protected lease(begin: (end: End) => void): void {
    let held = true;
    const extend = (): void =>
      this.network.after(EXTEND_MS, () => {
        if (!held) return;
        this.commands += 1;
        extend();
      });
    extend();
    begin(() => {
      held = false;
      this.command(() => this.freed());
    });
  }
}

/** redis-semaphore's way: a sorted set with leases; a caller that gets none asks again after 10 ms. */
export class Poll extends LeasedSlots {
  acquire(process: number, begin: (end: End) => void): void {
    this.command(() => {
      const granted = this.used < this.max;
      if (granted) this.used += 1;
      this.network.send(() => {
        if (granted) this.lease(begin);
        else this.network.after(ASK_AGAIN_MS, () => this.acquire(process, begin));
      });
    });
  }

  protected freed(): void {
    this.used -= 1;
  }
}

/** The best that a store per slot can do: a FIFO queue at the store, which pushes a free slot to the next caller. */
export class Queue extends LeasedSlots {
  readonly #callers: Caller[] = [];
  #first = 0;

  acquire(_process: number, begin: (end: End) => void): void {
    this.command(() => {
      if (this.used < this.max) {
        this.used += 1;
        this.#push({ begin });
      } else this.#callers.push({ begin });
    });
  }

  protected freed(): void {
    const next = this.#callers[this.#first];
    if (!next) {
      this.used -= 1;
      return;
    }
    this.#first += 1;
    this.#push(next);
  }

  #push({ begin }: Caller): void {
    this.network.send(() => this.lease(begin));
  }
}
