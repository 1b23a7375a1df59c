import { jain } from "../../fleet/shares/measures.ts";
import { quantile } from "../../fleet/soak/summary.ts";
import type { Network } from "./network.ts";

/** What is measured of one fleet, by the calls that began and ended. */
export interface Figures {
  /** Calls that began. */
  readonly slots: number;
  /** Slots in use, of those that were wanted and exist: min(max, wanted). */
  readonly use: number;
  /** The most slots in use at once, and how many there are. */
  readonly peak: number;
  readonly max: number;
  readonly commandsPerSlot: number;
  readonly commandsPerSecond: number;
  /** Jain's index of the slot time that each process had. */
  readonly jain: number;
  /** How long busy callers waited, in milliseconds; null where there are none. */
  readonly waitP50Ms: number | null;
  readonly waitP99Ms: number | null;
  readonly waitMostMs: number | null;
  /** From the end of a call to the begin of the next one with its slot, where that is another process's or later. */
  readonly handP50Ms: number | null;
  readonly handP99Ms: number | null;
  /** How long callers waited that call now and then. */
  readonly lightP50Ms: number | null;
  readonly lightP99Ms: number | null;
  /** After a process was killed: until the others had all slots in use. */
  readonly backMs: number | null;
}

type Kind = "busy" | "light";

/** Counts calls from outside. */
export class Meter {
  peak = 0;
  #inUse = 0;
  #wanted = 0;
  readonly #network: Network;
  readonly #max: number;
  #fromMs = Number.POSITIVE_INFINITY;
  #lastMs = 0;
  #busyMs = 0;
  #wantedMs = 0;
  #count = 0;
  /** Slots in use of each process, and the slot time that it had. */
  readonly #inUseOf: number[];
  readonly #served: number[];
  readonly #waits: Record<Kind, number[]> = { busy: [], light: [] };
  readonly #hands: number[] = [];
  readonly #freed: { readonly atMs: number; readonly process: number }[] = [];

  constructor(network: Network, max: number, processes: number) {
    this.#network = network;
    this.#max = max;
    this.#inUseOf = Array.from({ length: processes }, () => 0);
    this.#served = this.#inUseOf.map(() => 0);
  }

  /** What was before does not count. */
  begin(): void {
    this.#step();
    this.#fromMs = this.#network.nowMs;
  }

  /** A caller begins to wait. */
  asked(cost = 1): void {
    this.#step();
    this.#wanted += cost;
  }

  /** A call begins. */
  began(process: number, waitedMs: number, kind: Kind, cost = 1): void {
    this.#step();
    this.#inUse += cost;
    this.#inUseOf[process] = this.inUseOf(process) + cost;
    this.peak = Math.max(this.peak, this.#inUse);
    const { nowMs } = this.#network;
    const freed = this.#freed.shift();
    if (nowMs <= this.#fromMs) return;
    if (freed && (freed.process !== process || nowMs > freed.atMs)) this.#hands.push(nowMs - freed.atMs);
    this.#count += 1;
    this.#waits[kind].push(waitedMs);
  }

  /** A call ends. */
  ended(process: number, heldMs: number, cost = 1): void {
    this.#step();
    this.#inUse -= cost;
    this.#inUseOf[process] = this.inUseOf(process) - cost;
    this.#wanted -= cost;
    const { nowMs } = this.#network;
    this.#freed.push({ atMs: nowMs, process });
    if (nowMs > this.#fromMs) this.#served[process] = (this.#served[process] as number) + cost * heldMs;
  }

  inUseOf(process: number): number {
    return this.#inUseOf[process] as number;
  }

  get inUse(): number {
    return this.#inUse;
  }

  /** @param commands since {@link begin} */
  figures(commands: number, forMs: number): Figures {
    this.#step();
    const { busy, light } = this.#waits;
    const waits = busy.length > 0 ? busy : light;
    return {
      slots: this.#count,
      use: this.#busyMs / this.#wantedMs,
      peak: this.peak,
      max: this.#max,
      commandsPerSlot: commands / this.#count,
      commandsPerSecond: (1_000 * commands) / forMs,
      jain: jain(this.#served),
      waitP50Ms: of(waits, 0.5),
      waitP99Ms: of(waits, 0.99),
      waitMostMs: of(waits, 1),
      handP50Ms: of(this.#hands, 0.5),
      handP99Ms: of(this.#hands, 0.99),
      lightP50Ms: of(light, 0.5),
      lightP99Ms: of(light, 0.99),
      backMs: null,
    };
  }

  #step(): void {
    const { nowMs } = this.#network;
    const forMs = nowMs - Math.max(this.#lastMs, this.#fromMs);
    if (nowMs > this.#fromMs) {
      this.#busyMs += this.#inUse * forMs;
      this.#wantedMs += Math.min(this.#max, this.#wanted) * forMs;
    }
    this.#lastMs = nowMs;
  }
}

function of(values: readonly number[], part: number): number | null {
  return values.length === 0 ? null : quantile(values, part);
}
