import type { AcquireOptions } from "@dt/core";
import type { Random } from "../../random.ts";
import type { Timeline } from "../engine/timeline.ts";
import type { PermitPlan } from "./permit-plan.ts";
import { DRIFT, LATE_MS, type ProcessHost } from "./process-host.ts";

/** The most that a call costs. */
export const DEAREST = 2;

/** The deadline of a call to the store. */
const STORE_MS = 1_250;
/** How long a process that comes new waits for what the other sites answer, before it asks its own store. */
const OTHER_SITES_MS = 250;

/** One call of `acquire` or `tryAcquire` and what became of it. */
export interface Call {
  readonly cost: number;
  readonly priority: number;
  readonly kind: "acquire" | "attempt";
  readonly enteredMs: number;
  /** World time by which it must have settled, if its process was awake. */
  readonly deadlineMs: number;
  outcome: "pending" | "granted" | "none" | "error";
  settledMs: number;
  /** The site that the permit is from, in a group. */
  site?: string;
}

/** What callers use. */
export interface Permits {
  acquire(cost: number, options: AcquireOptions): Promise<Taken>;
  tryAcquire(cost: number): Promise<Taken | undefined>;
}

interface Taken {
  readonly lateMs: number;
  readonly site?: string;
}

/**
 * What callers do by chance: streams of their own, so that a seed means the same callers with priorities and without.
 */
interface Chances {
  readonly callers: Random;
  readonly priorities: Random;
}

/** Anything but these is a surprise. */
const EXPECTED: ReadonlySet<unknown> = new Set(["DT_STORE_TIMEOUT", "DT_STORE_UNAVAILABLE", "DT_STOPPED", "enough"]);

/** The callers of one process. */
export class CallerCrowd {
  readonly calls: Call[] = [];
  readonly surprises: string[] = [];
  readonly #world: PermitPlan;
  readonly #host: ProcessHost;
  readonly #timeline: Timeline;
  readonly #random: Random;
  readonly #priorities: Random;
  readonly #permits: Permits;
  over = false;

  constructor(world: PermitPlan, host: ProcessHost, timeline: Timeline, chances: Chances, permits: Permits) {
    this.#world = world;
    this.#host = host;
    this.#timeline = timeline;
    this.#random = chances.callers;
    this.#priorities = chances.priorities;
    this.#permits = permits;
  }

  /** Callers come all at once; some give up, all at once or each when it likes; busy ones ask again and again. */
  come(callers: number): void {
    const random = this.#random;
    const together = new AbortController();
    const span = this.#world.everyMs * 20;
    if (random.chance(0.3))
      this.#timeline.after(random.between(0, span), () => this.#host.deliver(() => together.abort("enough")));
    for (let i = 0; i < callers; i++)
      if (this.#world.profile === "busy") void this.#again();
      else if (random.chance(0.1)) void this.#attempt();
      else {
        const own = new AbortController();
        if (random.chance(0.2))
          this.#timeline.after(random.between(0, span), () => this.#host.deliver(() => own.abort("enough")));
        const signal = random.chance(0.5) ? together.signal : own.signal;
        void this.#acquire(random.chance(0.3) ? random.between(0, span) : undefined, signal);
      }
  }

  async #again(): Promise<void> {
    while (!this.over) await this.#acquire(undefined, undefined);
  }

  #acquire(timeout: number | undefined, signal: AbortSignal | undefined): Promise<void> {
    const [cost, priority] = [this.#cost(), this.#priority()];
    const waitMs = timeout ?? Math.max(60_000, 10 * this.#world.everyMs);
    const call = this.#note({ kind: "acquire", cost, priority }, waitMs);
    return this.#settle(call, this.#permits.acquire(cost, { timeout, signal, priority }));
  }

  #attempt(): Promise<void> {
    const cost = this.#cost();
    const waitMs = STORE_MS + ("sites" in this.#world ? this.#otherSitesMs() : 0);
    return this.#settle(this.#note({ kind: "attempt", cost, priority: 0 }, waitMs), this.#permits.tryAcquire(cost));
  }

  /** When the other sites have answered at the latest: a pause until then moves the rest. */
  #otherSitesMs(): number {
    const { nowMs } = this.#timeline;
    return this.#host.awakeAt(this.#host.afterSleep(nowMs, nowMs + OTHER_SITES_MS) + LATE_MS) - nowMs;
  }

  /** Processes that are to get equal parts have callers that are alike. */
  #priority(): number {
    return this.#world.profile === "busy" || this.#priorities.chance(0.7) ? 0 : this.#priorities.integer(-9, 9);
  }

  #cost(): number {
    return this.#world.profile === "busy" || this.#random.chance(0.9) ? 1 : this.#random.pick([0.5, 2]);
  }

  #note(asked: Pick<Call, "kind" | "cost" | "priority">, waitMs: number): Call {
    const enteredMs = this.#timeline.nowMs;
    const call: Call = {
      ...asked,
      enteredMs,
      deadlineMs: enteredMs + waitMs * (1 + 2 * DRIFT),
      outcome: "pending",
      settledMs: Number.POSITIVE_INFINITY,
    };
    this.calls.push(call);
    return call;
  }

  async #settle(call: Call, result: Promise<Taken | undefined>): Promise<void> {
    try {
      const taken = await result;
      if (taken?.site !== undefined) call.site = taken.site;
      call.outcome = taken ? "granted" : "none";
    } catch (error) {
      const code = (error as { code?: unknown } | undefined)?.code ?? error;
      call.outcome = code === "DT_TIMEOUT" ? "none" : "error";
      if (call.outcome === "error" && !EXPECTED.has(code)) this.surprises.push(String(error));
    }
    call.settledMs = this.#timeline.nowMs;
  }
}
