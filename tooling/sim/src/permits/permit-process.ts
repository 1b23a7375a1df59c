import type { Pacer, Runtime } from "@dt/core";
import { Random } from "../engine/random.ts";
import type { Timeline } from "../engine/timeline.ts";
import { SimRuntime } from "../world/sim-runtime.ts";
import type { LedgerServer } from "./ledger-server.ts";
import type { PermitCore } from "./permit-core.ts";
import { PermitLink } from "./permit-link.ts";
import type { PermitPlan, ProcessPlan } from "./permit-plan.ts";

/** How far clocks drift: as much as quartz does. */
export const DRIFT = 0.0002;

/** One call of `acquire` or `tryAcquire` and what became of it. */
export interface Call {
  readonly cost: number;
  readonly kind: "acquire" | "attempt";
  readonly enteredMs: number;
  /** World time by which it must have settled, if its process was awake. */
  readonly deadlineMs: number;
  outcome: "pending" | "granted" | "none" | "error";
  settledMs: number;
}

/** Anything but these is a surprise. */
const EXPECTED: ReadonlySet<unknown> = new Set([
  "DT_STORE_TIMEOUT",
  "DT_STORE_UNAVAILABLE",
  "DT_STOPPED",
  "DT_ACQUIRE_TIMEOUT",
  "enough",
]);

/** One process: a clock of its own, a pacer, and callers. */
export class PermitProcess {
  readonly calls: Call[] = [];
  readonly surprises: string[] = [];
  readonly link: PermitLink;
  readonly pacer: Pacer;
  readonly plan: ProcessPlan;
  readonly #world: PermitPlan;
  readonly #timeline: Timeline;
  readonly #random: Random;
  #liveTimers = 0;
  #closing = false;
  closed = false;

  constructor(core: PermitCore, world: PermitPlan, index: number, timeline: Timeline, server: LedgerServer) {
    this.#world = world;
    this.plan = world.processes[index] as ProcessPlan;
    this.#timeline = timeline;
    this.#random = new Random(world.seed, `process ${index}`);
    const deliver = (run: () => void): void => this.#deliver(run);
    const sim = new SimRuntime(timeline, { deliver: (_kind, run) => deliver(run) }, this.#random, DRIFT);
    const random = new Random(world.seed, `link ${index}`);
    this.link = new PermitLink({ core, plan: world, process: index, timeline, server, random, deliver });
    const { everyMs, burst, maxReserved, permitTtlMs, strict, block } = world;
    const runtime = this.#counting(sim);
    this.pacer = core.createPacer({
      key: "k",
      store: this.link,
      runtime,
      every: everyMs,
      burst,
      maxReserved,
      permitTtl: permitTtlMs,
      strict,
      block,
    });
    for (const { atMs, callers } of this.plan.bursts) timeline.at(atMs, () => deliver(() => this.#burst(callers)));
    timeline.at(world.activeMs, () => deliver(() => this.#close()));
  }

  get crashed(): boolean {
    return this.#timeline.nowMs >= this.plan.crashAtMs;
  }

  get liveTimers(): number {
    return this.#liveTimers;
  }

  /** When this process, asleep at `atMs`, wakes. */
  awakeAt(atMs: number): number {
    let awakeMs = atMs;
    for (const { fromMs, untilMs } of [...this.plan.pauses].sort((a, b) => a.fromMs - b.fromMs))
      if (fromMs <= awakeMs && awakeMs < untilMs) awakeMs = untilMs;
    return awakeMs;
  }

  #deliver(run: () => void): void {
    if (this.crashed) return;
    const awakeMs = this.awakeAt(this.#timeline.nowMs);
    if (awakeMs > this.#timeline.nowMs) this.#timeline.at(awakeMs, () => this.#deliver(run));
    else run();
  }

  #counting(runtime: Runtime): Runtime {
    return {
      now: () => runtime.now(),
      random: () => runtime.random(),
      setTimer: (callback, delayMs) => {
        let live = true;
        this.#liveTimers += 1;
        const end = (): void => {
          if (live) this.#liveTimers -= 1;
          live = false;
        };
        const timer = runtime.setTimer(() => {
          end();
          callback();
        }, delayMs);
        return {
          cancel: () => {
            end();
            timer.cancel();
          },
        };
      },
    };
  }

  /** Callers come all at once; some give up, all at once or each when it likes; busy ones ask again and again. */
  #burst(callers: number): void {
    const random = this.#random;
    const together = new AbortController();
    const span = this.#world.everyMs * 20;
    if (random.chance(0.3))
      this.#timeline.after(random.between(0, span), () => this.#deliver(() => together.abort("enough")));
    for (let i = 0; i < callers; i++)
      if (this.#world.profile === "busy") void this.#again();
      else if (random.chance(0.1)) void this.#attempt();
      else {
        const own = new AbortController();
        if (random.chance(0.2))
          this.#timeline.after(random.between(0, span), () => this.#deliver(() => own.abort("enough")));
        const signal = random.chance(0.5) ? together.signal : own.signal;
        void this.#acquire(random.chance(0.3) ? random.between(0, span) : undefined, signal);
      }
  }

  async #again(): Promise<void> {
    while (!this.#closing) await this.#acquire(undefined, undefined);
  }

  #acquire(timeout: number | undefined, signal: AbortSignal | undefined): Promise<void> {
    const cost = this.#cost();
    const waitMs = timeout ?? Math.max(60_000, 10 * this.#world.everyMs);
    const call = this.#note("acquire", cost, waitMs);
    return this.#settle(
      call,
      this.pacer.acquire({ cost, timeout, signal }).then((permit) => permit !== undefined),
    );
  }

  #attempt(): Promise<void> {
    const cost = this.#cost();
    return this.#settle(this.#note("attempt", cost, 1_250), this.pacer.tryAcquire({ cost }));
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

  #close(): void {
    this.#closing = true;
    void this.pacer.close().then(() => {
      this.closed = true;
    });
  }
}
