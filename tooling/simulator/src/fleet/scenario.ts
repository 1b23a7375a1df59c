import type { ThrottleStatus } from "@dt/core";
import type { EpochRecord } from "./check/epochs.ts";
import type { Violation } from "./check/violation.ts";
import type { CallerKind, Fault, Plan, Settings } from "./plan/plan.ts";
import { applyFault } from "./world/faults.ts";
import type { SimProcess } from "./world/sim-process.ts";
import { type Run, World } from "./world/world.ts";

/** A fault that happens now. */
export type FaultNow = Fault extends infer F ? (F extends Fault ? Omit<F, "atMs"> : never) : never;

const DEFAULTS: Settings = {
  max: 100,
  min: 100,
  rampUpMs: 0,
  mode: "relaxed",
  intervalMs: 1_000,
  staleAfterMs: 10_000,
  validityMs: 6_750,
  syncIntervalMs: 1_000,
  storeTimeoutMs: 1_000,
  clockErrorMs: 250,
  learningMs: 0,
  resumeWithinMs: 0,
  release: "epoch",
  onStoreLost: "stop",
  hints: false,
  lost: 0,
  latencyMs: 2,
  drift: 0.0004,
};

/**
 * A world that is led by hand, for tests that read like a story: every rule is checked all along. Time stands still
 * between calls.
 */
export class Scenario {
  readonly world: World;

  /** Defaults are those of `createThrottle`, with `max` 100. */
  constructor(settings: Partial<Settings> = {}, run: Run & { readonly seed?: number } = {}) {
    const { max = DEFAULTS.max } = settings;
    const plan: Plan = {
      seed: run.seed ?? 1,
      profile: "atomic",
      settings: { ...DEFAULTS, min: max, ...settings },
      members: [],
      faults: [],
      churnMs: Number.POSITIVE_INFINITY,
    };
    this.world = new World(plan, run);
  }

  /** Starts a member on a host of this name; its callers take all they can unless told otherwise. */
  join(name: string, caller: CallerKind = "greedy"): SimProcess {
    return this.world.boot(name, caller);
  }

  happen(fault: FaultNow): void {
    applyFault(this.world, { ...fault, atMs: this.world.timeline.nowMs } as Fault);
  }

  /** Lets time pass; ends early at the first violation. */
  async pass(ms: number): Promise<void> {
    const { timeline, checker } = this.world;
    await timeline.run(timeline.nowMs + ms, () => checker.violations.length > 0);
  }

  /** Lets time pass until just before the next epoch begins. */
  async passToEpochEnd(): Promise<void> {
    const { intervalMs } = this.world.plan.settings;
    await this.pass(intervalMs - (this.world.store.groupTimeMs % intervalMs) - 5);
  }

  /** World time. */
  get nowMs(): number {
    return this.world.timeline.nowMs;
  }

  /** The number of the epoch that is now, by the store's clock. */
  get epoch(): number {
    return Math.floor(this.world.store.groupTimeMs / this.world.plan.settings.intervalMs);
  }

  /** Tokens granted in an epoch by everybody, or by one member. */
  granted(epoch: number, by?: SimProcess): number {
    const record = this.world.checker.book.of(epoch);
    return by ? (record.byProcess.get(by) ?? 0) : record.net;
  }

  status(process: SimProcess): ThrottleStatus {
    return process.throttle.status();
  }

  /** Every epoch in which anything was granted. */
  get epochs(): readonly EpochRecord[] {
    return this.world.checker.book.all;
  }

  get violations(): readonly Violation[] {
    return this.world.checker.violations;
  }
}
