import type { Semaphore, Slot, View } from "@dt/core";
import type { Timeline } from "../../fleet/engine/timeline.ts";
import { Machine } from "../../fleet/world/machine.ts";
import type { SimRuntime } from "../../fleet/world/sim-runtime.ts";
import type { Random } from "../../random.ts";
import { TIMES } from "./plan.ts";

/** One call in flight, as the callee sees it. */
export interface CallInFlight {
  readonly slot: Slot;
  readonly cost: number;
  /** World time at which it ends if nothing else ends it. */
  readonly untilMs: number;
  /** Its right is over: its signal has fired, or its process could not hear it. */
  lost: boolean;
}

/** One caller that waits for its slots, since an instant of world time. */
export interface Caller {
  readonly cost: number;
  readonly priority: number;
  readonly sinceMs: number;
}

/** So long after a process went on, what came meanwhile has been delivered. */
const BACKLOG_MS = 100;

/** One boot of a process. */
export class SlotProcess extends Machine {
  readonly name: string;
  /** Name of the host and number of the boot, such as `p3#2`. */
  readonly label: string;
  readonly runtime: SimRuntime;
  readonly calls = new Set<CallInFlight>();
  semaphore!: Semaphore;
  /** What it is configured with. */
  max: number;
  isDraining = false;
  /** Slots that its callers use or wait for. */
  wanted = 0;
  readonly waiting = new Set<Caller>();
  /** The last answer that it took: when the store gave it, in world time, and whether the group learned then. */
  answeredMs = Number.POSITIVE_INFINITY;
  learning = false;
  /** By its own clock: when the request of that answer was sent. */
  #sentMs = Number.NEGATIVE_INFINITY;
  #wentOnMs = Number.NEGATIVE_INFINITY;
  readonly #timeline: Timeline;

  constructor(
    name: string,
    boot: number,
    timeline: Timeline,
    random: Random,
    runtimeOf: (host: Machine) => SimRuntime,
    max: number,
  ) {
    super(timeline, random);
    this.name = name;
    this.label = `${name}#${boot}`;
    this.#timeline = timeline;
    this.runtime = runtimeOf(this);
    this.max = max;
  }

  /** An answer came. One that comes late, or says that it is no member, gives no right. */
  answered(sentMs: number, view: View | undefined, givenMs: number | undefined): void {
    if (givenMs === undefined || this.runtime.now() - sentMs > TIMES.storeTimeout) return;
    if (view?.status !== "agree" && view?.status !== "disagree") return;
    this.#sentMs = sentMs;
    this.answeredMs = givenMs;
    this.learning = view.learning === true;
  }

  /** True while its last answer is valid, by its own clock. */
  get isValid(): boolean {
    return this.runtime.now() < this.#sentMs + TIMES.validity;
  }

  override resume(): void {
    super.resume();
    this.#wentOnMs = this.#timeline.nowMs;
  }

  /** It stands still, is gone, or has just gone on: its signals cannot be expected to have fired. */
  get isDeaf(): boolean {
    return this.gone || this.frozen || this.#timeline.nowMs < this.#wentOnMs + BACKLOG_MS;
  }

  /** Forgets calls that have ended at the callee, and marks those whose right is over. */
  look(): void {
    const isOver = this.isDeaf && !this.isValid;
    for (const call of this.calls) {
      if (this.gone && this.#timeline.nowMs >= call.untilMs) this.calls.delete(call);
      else if (isOver || call.slot.signal.aborted) call.lost = true;
    }
  }
}
