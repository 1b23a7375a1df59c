import type { MemberView, Throttle, View } from "@dt/core";
import type { Random } from "../../random.ts";
import type { Timeline } from "../engine/timeline.ts";
import { Machine } from "./machine.ts";
import type { Waking } from "./waking.ts";

/** What the checker is told of a process. */
export interface ProcessObserver {
  granted(process: SimProcess, epoch: number, tokens: number): void;
  gaveBack(process: SimProcess, epoch: number, tokens: number): void;
  lost(process: SimProcess, epoch: number, tokens: number): void;
  /** Core itself took back what was collected for a call that was given up. */
  tookBack(process: SimProcess, epoch: number, tokens: number, regrantable: boolean): void;
  /** A call began that costs so many tokens. */
  began(process: SimProcess, cost: number): void;
  /** It sends a registration, or anything but a report. */
  registers(process: SimProcess): void;
  /** It sends a report, in which it says how much it holds. */
  reports(process: SimProcess, held: number): void;
  answered(process: SimProcess, view: View, expired: boolean): void;
}

/** A network may be there so long after its host woke, in milliseconds. */
const SLOW_NETWORK_MS = 500;

/** One boot of a process. */
export class SimProcess extends Machine {
  /** Name of the host and number of the boot, such as `p3#2`. */
  readonly label: string;
  readonly name: string;
  readonly bootedAtMs: number;
  /** What it declares. */
  readonly clockErrorMs: number;
  throttle!: Throttle;
  state: "running" | "stopping" | "gone" = "running";
  started = false;
  /** World time of its crash. */
  goneAtMs = Number.POSITIVE_INFINITY;
  /** Which boot it is to the store; known once it has called. */
  incarnation: string | undefined;
  /** What the world, not the core, knows of the last answer that came in time. */
  lastView: MemberView | undefined;
  /** World time of the first such answer. */
  joinedAtMs = Number.POSITIVE_INFINITY;
  lastViewSentMs = Number.NEGATIVE_INFINITY;
  /** Calls of `acquire` that have not settled, and what callers were given in all. */
  pending = 0;
  returned = 0;
  /** The largest cost of its calls so far, where these cost several tokens: tokens are then collected for them. */
  largestCost = 1;
  /** True while a caller asks without waiting: what is granted then is for that one. */
  polling = false;
  /** What is allowed to it since it woke. */
  waking: Waking | undefined;
  readonly #timeline: Timeline;
  readonly #random: Random;
  #atGivingUp: (() => void)[] = [];

  constructor(name: string, boot: number, timeline: Timeline, random: Random, clockErrorMs: number) {
    super(timeline, random);
    this.clockErrorMs = clockErrorMs;
    this.name = name;
    this.label = `${name}#${boot}`;
    this.bootedAtMs = timeline.nowMs;
    this.#timeline = timeline;
    this.#random = random;
  }

  get alive(): boolean {
    return this.state !== "gone";
  }

  /** Runs when the next report is sent that gives up tokens which were used. */
  atGivingUp(run: () => void): void {
    this.#atGivingUp.push(run);
  }

  /** It sends a report: of what it used in its newest epoch, so many tokens are beyond what it keeps. */
  reports(givenUp: number): void {
    if (givenUp <= 0) return;
    const waiting = this.#atGivingUp;
    this.#atGivingUp = [];
    for (const run of waiting) run();
  }

  /** Its host is suspended; what comes meanwhile is delivered when it wakes, or when its network is there again. */
  suspend(forMs: number, waking: Waking): void {
    this.waking = waking;
    if (!this.frozen) this.pause(forMs, this.#random.pick([0, this.#random.between(0, SLOW_NETWORK_MS)]));
  }

  override crash(): void {
    super.crash();
    this.state = "gone";
    this.goneAtMs = this.#timeline.nowMs;
  }
}
