import { Random } from "../../random.ts";
import type { Settings } from "../plan/plan.ts";
import { Scenario } from "../scenario.ts";
import type { SimProcess } from "../world/sim-process.ts";

/** How long a phase took to get to full utilisation again, and what it was like meanwhile. */
export interface PhaseReport {
  readonly phase: string;
  readonly members: number;
  /** Epochs from the end of the change until an epoch in which all tokens were granted. */
  readonly epochsUntilFull: number;
  /** Tokens granted while the change went on, of those there were. */
  readonly utilisationMeanwhile: number;
  /** Calls that the store carried out: most in one second, for each member that was alive then. */
  readonly mostSyncsPerSecondPerMember: number;
  readonly worstEpoch: number;
  readonly max: number;
}

/** Epochs after which a phase is given up. */
const PATIENCE = 60;

/** A large fleet, led through its changes. */
export class LargeFleet {
  readonly scenario: Scenario;
  readonly #random: Random;
  readonly #max: number;
  #calls = 0;
  #mostPerMember = 0;
  #hosts = 0;

  constructor(settings: Partial<Settings> & { readonly max: number }, seed: number) {
    this.scenario = new Scenario(settings);
    this.#random = new Random(seed, "fleet");
    this.#max = settings.max;
    // The whole ledger is not looked at after every call: that would be quadratic. Every grant is.
    this.scenario.world.store.observer = {
      beforeOperation: () => {
        this.#calls += 1;
      },
      afterOperation: () => {},
    };
  }

  get members(): readonly SimProcess[] {
    return this.scenario.world.alive.filter((process) => process.state === "running");
  }

  /** Brings the fleet to `size` members within `overMs`. */
  async grow(phase: string, size: number, overMs: number): Promise<PhaseReport> {
    const { timeline } = this.scenario.world;
    for (let missing = size - this.members.length; missing > 0; missing--)
      timeline.after(this.#random.between(0, overMs), () => this.scenario.join(`p${this.#hosts++}`));
    return this.#follow(phase, overMs);
  }

  /** Every member stops gracefully and starts again on its host, spread over `overMs`. */
  async rollingRestart(phase: string, overMs: number): Promise<PhaseReport> {
    const { world } = this.scenario;
    for (const process of this.members)
      world.timeline.after(this.#random.between(0, overMs), () => {
        world.stop(process);
        world.timeline.after(this.#random.between(100, 1_000), () => this.scenario.join(process.name));
      });
    return this.#follow(phase, overMs + 1_000);
  }

  /** Half of the members vanish in one instant. */
  async loseHalf(phase: string): Promise<PhaseReport> {
    for (const [index, process] of this.members.entries()) if (index % 2 === 0) this.scenario.world.crash(process);
    return this.#follow(phase, 0);
  }

  async #follow(phase: string, overMs: number): Promise<PhaseReport> {
    const { scenario } = this;
    const first = scenario.epoch + 1;
    this.#mostPerMember = 0;
    await this.#watch(Math.ceil(overMs / 1_000));
    const changed = scenario.epoch;
    let full: number;
    // The epoch in which a change falls may still be full with what was granted before it.
    for (full = changed + 1; full < changed + PATIENCE; full++) {
      while (scenario.epoch <= full) await this.#watch(1);
      if (scenario.granted(full) === this.#max) break;
    }
    const epochs = scenario.epochs.filter(({ epoch }) => epoch >= first && epoch < full);
    return {
      phase,
      members: this.members.length,
      epochsUntilFull: full - changed,
      utilisationMeanwhile: epochs.reduce((sum, { net }) => sum + net, 0) / (this.#max * Math.max(1, full - first)),
      mostSyncsPerSecondPerMember: this.#mostPerMember,
      worstEpoch: Math.max(...scenario.epochs.map(({ peak }) => peak)),
      max: this.#max,
    };
  }

  async #watch(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second++) {
      this.#calls = 0;
      const before = this.members.length;
      await this.scenario.pass(1_000);
      this.#mostPerMember = Math.max(this.#mostPerMember, this.#calls / Math.max(1, before, this.members.length));
    }
  }
}
