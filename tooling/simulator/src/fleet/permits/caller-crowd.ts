import type { PermitOptions } from "@dt/core";
import type { Random } from "../../random.ts";
import type { Timeline } from "../engine/timeline.ts";
import type { PermitPlan } from "./permit-plan.ts";
import { DRIFT, type ProcessHost } from "./process-host.ts";

/** One call of `acquire` or `tryAcquire` and what became of it. */
/** The most that a call costs. */
export const DEAREST = 2;

export interface Call {
  readonly cost: number;
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
  acquire(options: PermitOptions): Promise<{ readonly lateMs: number; readonly site?: string } | undefined>;
  tryAcquire?(options: { readonly cost: number }): Promise<boolean>;
}

/** Anything but these is a surprise. */
const EXPECTED: ReadonlySet<unknown> = new Set([
  "DT_STORE_TIMEOUT",
  "DT_STORE_UNAVAILABLE",
  "DT_STOPPED",
  "DT_TIMEOUT",
  "enough",
]);

/** The callers of one process. */
export class CallerCrowd {
  readonly calls: Call[] = [];
  readonly surprises: string[] = [];
  readonly #world: PermitPlan;
  readonly #host: ProcessHost;
  readonly #timeline: Timeline;
  readonly #random: Random;
  readonly #permits: Permits;
  over = false;

  constructor(world: PermitPlan, host: ProcessHost, timeline: Timeline, random: Random, permits: Permits) {
    this.#world = world;
    this.#host = host;
    this.#timeline = timeline;
    this.#random = random;
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
    const cost = this.#cost();
    const waitMs = timeout ?? Math.max(60_000, 10 * this.#world.everyMs);
    const call = this.#note("acquire", cost, waitMs);
    return this.#settle(
      call,
      this.#permits.acquire({ cost, timeout, signal }).then((permit) => {
        if (permit?.site !== undefined) call.site = permit.site;
        return permit !== undefined;
      }),
    );
  }

  #attempt(): Promise<void> {
    const cost = this.#cost();
    if (!this.#permits.tryAcquire) return this.#acquire(undefined, undefined);
    return this.#settle(this.#note("attempt", cost, 1_250), this.#permits.tryAcquire({ cost }));
  }

  #cost(): number {
    return this.#world.profile === "busy" || this.#random.chance(0.9) ? 1 : this.#random.pick([0.5, 2]);
  }

  #note(kind: Call["kind"], cost: number, waitMs: number): Call {
    const enteredMs = this.#timeline.nowMs;
    const call: Call = {
      kind,
      cost,
      enteredMs,
      deadlineMs: enteredMs + waitMs * (1 + 2 * DRIFT),
      outcome: "pending",
      settledMs: Number.POSITIVE_INFINITY,
    };
    this.calls.push(call);
    return call;
  }

  async #settle(call: Call, result: Promise<boolean>): Promise<void> {
    try {
      call.outcome = (await result) ? "granted" : "none";
    } catch (error) {
      call.outcome = "error";
      const code = (error as { code?: unknown } | undefined)?.code ?? error;
      if (!EXPECTED.has(code)) this.surprises.push(String(error));
    }
    call.settledMs = this.#timeline.nowMs;
  }
}
