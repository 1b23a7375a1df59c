import { setTimeout as sleep } from "node:timers/promises";
import { machineNow } from "../machine-now.ts";
import type { StartedStore } from "../permits/stores/permit-store.ts";
import type { Callee } from "./callee.ts";
import type { Fleet } from "./fleet.ts";
import type { Circumstances, Excuse, Limit, Lowering } from "./judge.ts";
import type { FleetSettings } from "./settings.ts";

/** What happened, for the judge and for people. */
export interface Happened extends Circumstances {
  /** For each fault what was seen of it, in plain numbers. */
  readonly seen: Readonly<Record<string, number>>;
}

/** What a scenario works on. */
export interface Stage {
  readonly store: StartedStore;
  readonly callee: Callee;
  readonly fleet: Fleet;
  readonly settings: FleetSettings;
  readonly say: (line: string) => void;
}

/** Runs one fault after the other on a fleet that always wants more slots than there are. */
export class Scenario {
  readonly #stage: Stage;
  readonly #limits: Limit[];
  readonly #excuses: Excuse[] = [];
  readonly #lowerings: Lowering[] = [];
  readonly #seen: Record<string, number> = {};

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#limits = [{ fromMs: 0, max: stage.settings.max }];
  }

  get happened(): Happened {
    const { staleAfterMs } = this.#stage.settings;
    const syncIntervalMs = Math.min(1_000, staleAfterMs / 10);
    const told = { limits: this.#limits, excuses: this.#excuses, lowerings: this.#lowerings };
    return { ...told, staleAfterMs, syncIntervalMs, seen: this.#seen };
  }

  async run(): Promise<void> {
    const { store, settings } = this.#stage;
    const { staleAfterMs } = settings;
    await this.#busy();
    await this.#kill();
    await this.#killWithDeafCallee();
    await this.#standStill();
    await this.#storeAway("the store stands still, briefly", 0.3 * staleAfterMs, (ms) => store.standStill(ms));
    await this.#storeAway("the store stands still, for long", 1.2 * staleAfterMs, (ms) => store.standStill(ms));
    const { die } = store;
    if (die) {
      await this.#storeAway("the store is dead, briefly", 0.3 * staleAfterMs, (ms) => die(ms));
      await this.#storeAway("the store is dead, for long", 1.2 * staleAfterMs, (ms) => die(ms));
    }
    await this.#changeMax();
    await this.#drain();
  }

  get #max(): number {
    return (this.#limits.at(-1) as Limit).max;
  }

  #say(line: string): void {
    this.#stage.say(line);
  }

  /** The time until as many calls are in flight as may be; a fleet that never gets there is a failure. */
  async #busy(): Promise<number> {
    const { callee, settings } = this.#stage;
    const sinceMs = machineNow();
    const untilMs = sinceMs + 4 * settings.staleAfterMs + 20_000;
    while (callee.inFlight < this.#max) {
      if (machineNow() > untilMs) throw new Error(`only ${callee.inFlight} of ${this.#max} slots came into use`);
      await sleep(5);
    }
    return machineNow() - sinceMs;
  }

  /** A worker that has a call of the length under way, as the callee counts. */
  async #holder(forMs: number, deaf: string): Promise<number> {
    const { callee, fleet } = this.#stage;
    const [worker] = (await fleet.add(1, { callers: 0 })) as [number];
    fleet.of(worker).tell(`long 1 ${forMs} ${deaf}`);
    const untilMs = machineNow() + 60_000;
    while (!callee.calls.some((call) => call.worker === worker)) {
      if (machineNow() > untilMs) throw new Error("a newcomer got no slot within a minute");
      await sleep(5);
    }
    return worker;
  }

  async #kill(): Promise<void> {
    const { fleet, settings } = this.#stage;
    const worker = await this.#holder(20 * settings.staleAfterMs, "-");
    this.#say("a process that holds slots is killed");
    await fleet.of(worker).kill();
    await sleep(0.5 * settings.staleAfterMs);
    this.#seen["back after a kill, ms"] = 0.5 * settings.staleAfterMs + (await this.#busy());
  }

  async #killWithDeafCallee(): Promise<void> {
    const { fleet, settings } = this.#stage;
    const worker = await this.#holder(2 * settings.staleAfterMs, "deaf");
    this.#say("a process is killed, and the callee goes on with its calls (N4)");
    await fleet.of(worker).kill();
    this.#excuses.push({ state: "N4", worker, atMs: machineNow() });
    await sleep(2 * settings.staleAfterMs);
  }

  async #standStill(): Promise<void> {
    const { fleet, settings } = this.#stage;
    const worker = await this.#holder(2 * settings.staleAfterMs, "-");
    this.#say("a process stands still (N1)");
    fleet.of(worker).signal("SIGSTOP");
    this.#excuses.push({ state: "N1", worker, atMs: machineNow() });
    await sleep(1.5 * settings.staleAfterMs);
    fleet.of(worker).signal("SIGCONT");
    await sleep(0.6 * settings.staleAfterMs);
  }

  async #storeAway(what: string, forMs: number, away: (ms: number) => Promise<void>): Promise<void> {
    const { callee, fleet } = this.#stage;
    this.#say(what);
    const [calls, lost, fromMs] = [callee.calls.length, fleet.lost, machineNow()];
    await away(forMs);
    const begun = callee.calls.slice(calls).filter(({ beganMs }) => beganMs < fromMs + forMs);
    this.#seen[`${what}: calls begun meanwhile`] = begun.length;
    this.#seen[`${what}: busy again after, ms`] = await this.#busy();
    this.#seen[`${what}: slots lost`] = fleet.lost - lost;
  }

  async #changeMax(): Promise<void> {
    const { settings } = this.#stage;
    this.#say("max goes up, far down and back, one process after the other (N2)");
    for (const factor of [2, 0.5, 1]) await this.#roll(Math.max(1, Math.round(factor * settings.max)));
  }

  async #roll(max: number): Promise<void> {
    const { fleet, callee, settings } = this.#stage;
    const [oldMax, fromMs] = [this.#max, machineNow()];
    if (max < oldMax) this.#limits.push({ fromMs, max });
    const workers = fleet.living;
    for (const [index, worker] of workers.entries()) {
      // The last one: only then do all declare the higher maximum.
      if (max > oldMax && index === workers.length - 1) this.#limits.push({ fromMs: machineNow(), max });
      fleet.of(worker).tell(`max ${max}`);
      await fleet.of(worker).said(`max ${max}`, 60_000);
      await sleep(20);
    }
    if (max < oldMax) {
      // All have heard of it within two sync intervals; then nothing begins until the calls that ran are fewer.
      await sleep(Math.min(2_000, settings.staleAfterMs / 5));
      while (callee.inFlight > max) await sleep(5);
      this.#lowerings.push({ fromMs, toMs: machineNow(), oldMax });
      this.#seen[`max from ${oldMax} to ${max}: in force after, ms`] = machineNow() - fromMs;
    }
    await this.#busy();
    await sleep(settings.staleAfterMs / 5);
  }

  async #drain(): Promise<void> {
    const { fleet } = this.#stage;
    this.#say("all processes drain");
    const leaving = fleet.living.map((worker) => fleet.of(worker));
    const sinceMs = machineNow();
    for (const process of leaving) process.tell("drain");
    await Promise.all(leaving.map((process) => process.finished()));
    this.#seen["drained after, ms"] = machineNow() - sinceMs;
  }
}
