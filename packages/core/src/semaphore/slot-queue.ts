import type { Events } from "../internal/events.ts";
import type { Tally } from "../internal/tally.ts";
import { type Wait, type Waiter, WaitingQueue } from "../internal/waiting-queue.ts";
import type { Slot } from "../limiter/slot.ts";
import type { Runtime, Timer } from "../runtime/runtime.ts";
import { timeoutError } from "./errors.ts";
import type { SemaphoreEvents } from "./events.ts";
import type { OpenSlots } from "./open-slots.ts";
import type { SemaphoreSettings } from "./settings.ts";
import type { SlotShare } from "./slot-share.ts";
import type { WhyNot } from "./why-not.ts";

/** Callers that wait for slots, served by priority and in the order in which they came. The first is not passed. */
export class SlotQueue {
  /** Called when the last caller has left. */
  onEmpty: () => void = () => undefined;
  /** Called before callers are served: notices that the machine was suspended, if it was. */
  look: (nowMs: number) => void = () => undefined;
  readonly #queue: WaitingQueue<Slot, Wait>;
  readonly #share: SlotShare;
  readonly #open: OpenSlots;
  readonly #events: Events<SemaphoreEvents>;
  readonly #runtime: Runtime;
  /** True while callers are served: one that gives up meanwhile, or a listener, has no others served in between. */
  #isServing = false;
  /** Serves those who wait when the pause of the fleet is over: until then nothing else does. */
  #wake: Timer | undefined;
  /** The caller of whom listeners know that it may wait for long. */
  #costly: Waiter<Slot, Wait> | undefined;

  /** @param whyNot the reason why a caller waits, for messages */
  constructor(
    settings: SemaphoreSettings,
    share: SlotShare,
    open: OpenSlots,
    events: Events<SemaphoreEvents>,
    tally: Tally,
    whyNot: () => WhyNot,
  ) {
    const { name, runtime, maxWaiters, acquireTimeoutMs } = settings;
    this.#share = share;
    this.#open = open;
    this.#events = events;
    this.#runtime = runtime;
    this.#queue = new WaitingQueue({
      runtime,
      maxWaiters,
      acquireTimeoutMs,
      timeoutError: ({ cost }, timeoutMs) => timeoutError(name, cost, timeoutMs ?? 0, whyNot()),
    });
    this.#queue.onDecided = (result, { cost, priority }, waitedMs) =>
      tally.decided(result, waitedMs, cost, priority ?? 0);
    this.#queue.onLeft = ({ want }) => {
      share.waiting -= want.cost;
    };
    this.#queue.onEmpty = () => {
      this.#wake?.cancel();
      this.onEmpty();
    };
    // The next one may cost less.
    this.#queue.onGiveUp = () => this.serve(runtime.now());
    this.#queue.onTimeout = ({ cost, waitedMs }) => {
      if (events.has("timedOut")) events.emit("timedOut", { cost, waitedMs });
    };
    this.#queue.onFull = () => {
      if (events.has("queueFull")) events.emit("queueFull", { waiting: this.size });
    };
  }

  get size(): number {
    return this.#queue.size;
  }

  /** Slots that the first caller waits for; 0 where no caller waits. */
  get head(): number {
    return this.#queue.first?.cost ?? 0;
  }

  /** @throws DtError `DT_QUEUE_FULL` */
  join(wait: Wait): Promise<Slot> {
    const promise = this.#queue.join(wait);
    this.#share.waiting += wait.cost;
    this.#wakeAfterPause(this.#runtime.now());
    return promise;
  }

  /** Grants what may be granted now. */
  serve(nowMs: number): void {
    if (this.#isServing || this.size === 0) return;
    this.#isServing = true;
    try {
      this.look(nowMs);
      this.#serve(nowMs);
    } finally {
      this.#isServing = false;
    }
    this.#lookForCostly();
  }

  #serve(nowMs: number): void {
    this.#wakeAfterPause(nowMs);
    for (let first = this.#queue.first; first !== undefined; first = this.#queue.first) {
      const { cost } = first;
      if (this.#share.inUse + cost > this.#share.usable(nowMs)) break;
      const { waitedMs } = first;
      first.answer(this.#open.open(cost, nowMs));
      if (this.#events.has("grant")) this.#events.emit("grant", { cost, waitedMs });
    }
  }

  #wakeAfterPause(nowMs: number): void {
    this.#wake?.cancel();
    const leftMs = this.#share.pausedUntilMs - nowMs;
    // Whole milliseconds: a rest that the clock's fractions cannot express would be due at once, again and again.
    if (leftMs > 0) this.#wake = this.#runtime.setTimer(() => this.serve(this.#runtime.now()), Math.ceil(leftMs));
  }

  /** Refuses all callers that wait. */
  failAll(error: unknown): void {
    this.#queue.failAll(error);
  }

  /** The fleet may have grown while the first caller waits. */
  #lookForCostly(): void {
    if (!this.#events.has("costly")) return;
    const { first } = this.#queue;
    const { guaranteed } = this.#share;
    if (first === undefined || first.cost <= guaranteed || first === this.#costly) return;
    this.#costly = first;
    this.#events.emit("costly", { cost: first.cost, guaranteed });
  }
}
