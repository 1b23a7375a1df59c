import { setTimeout as sleep } from "node:timers/promises";
import { machineNow } from "../machine-now.ts";
import type { StartedStore } from "../permits/stores/permit-store.ts";
import type { Callee } from "./callee.ts";
import { type Books, ExactBudget } from "./exact-budget.ts";
import type { Fleet } from "./fleet.ts";
import type { Loss } from "./judge.ts";
import { EXACT_UNITS, type FleetSettings, STORE_TIMEOUT_MS } from "./settings.ts";

/** What a scenario works on. */
export interface Stage {
  readonly store: StartedStore;
  readonly callee: Callee;
  readonly fleet: Fleet;
  readonly settings: FleetSettings;
  readonly say: (line: string) => void;
}

/** What happened, for the judge and for people. */
export interface Happened {
  readonly losses: readonly Loss[];
  /** For each fault what was seen of it, in plain numbers. */
  readonly seen: Readonly<Record<string, number>>;
  readonly violations: readonly string[];
}

/** So many leases are reserved at a time. */
const LEASES = 10;
const BUSY_WITHIN_MS = 60_000;
/** So long that what is sent to a dead store is given up, and sent anew. */
const AWAY_MS = 3 * STORE_TIMEOUT_MS;

/** Runs one fault after the other on a fleet that always wants more than there is. */
export class Scenario {
  readonly #stage: Stage;
  readonly #losses: Loss[] = [];
  readonly #seen: Record<string, number> = {};
  readonly #violations: string[] = [];
  /** What the exact budget is to have. */
  #spent = 0;
  #open = 0;

  constructor(stage: Stage) {
    this.#stage = stage;
  }

  get happened(): Happened {
    return { losses: this.#losses, seen: this.#seen, violations: this.#violations };
  }

  async run(): Promise<void> {
    const { store, fleet, settings } = this.#stage;
    await using exact = await ExactBudget.open(store);
    await this.#calm();
    await this.#kill(exact);
    const [worker] = (await fleet.add(1, { callers: 0 })) as [number];
    await this.#settleTwice(exact, worker);
    const forMs = 2 * settings.quota.windowMs;
    await this.#storeAway("the store stands still", exact, worker, () => store.standStill(forMs));
    const { restart, die, forget } = store;
    if (restart) await this.#storeAway("the store restarts", exact, worker, () => restart());
    if (die) await this.#storeAway("the store dies, and comes back", exact, worker, () => die(AWAY_MS));
    await this.#cutStreams();
    await this.#pauseProcess();
    await this.#neverSettle(exact);
    if (forget) await this.#loseData(exact, worker, forget);
    await this.#drain();
  }

  /** What is wrong is reported once: what follows is compared with what the store has then. */
  async #becomes(what: string, exact: ExactBudget): Promise<void> {
    const wanted = { spent: this.#spent, open: this.#open };
    const books = await exact.becomes(wanted);
    if (books?.spent === wanted.spent && books.open === wanted.open) return;
    const text = (found: Books | undefined): string => `${found?.spent} units spent and ${found?.open} leases open`;
    this.#violations.push(`${what}: ${text(books)}, where it is to be ${text(wanted)}`);
    [this.#spent, this.#open] = [books?.spent ?? 0, books?.open ?? 0];
  }

  /** Calls go on, in every process that makes some; a fleet that hangs is a failure. */
  async #goesOn(what: string): Promise<void> {
    const { callee, settings } = this.#stage;
    const sinceMs = machineNow();
    const workers = this.#callers;
    const lacking = (): number[] => {
      const heard = new Set(callee.calls.filter(({ beganMs }) => beganMs > sinceMs).map(({ worker }) => worker));
      return workers.filter((worker) => !heard.has(worker));
    };
    while (lacking().length > 0) {
      if (machineNow() > sinceMs + BUSY_WITHIN_MS) {
        this.#violations.push(`${what}: no call of the processes ${lacking().join(", ")} within a minute`);
        return;
      }
      await sleep(20);
    }
    this.#seen[`${what}: all processes call again after, ms`] = machineNow() - sinceMs;
    await sleep(settings.quota.windowMs / 2);
  }

  /** The processes whose callers make calls. */
  get #callers(): readonly number[] {
    const { callee, fleet } = this.#stage;
    const known = new Set(callee.calls.map(({ worker }) => worker));
    return fleet.living.filter((worker) => known.has(worker));
  }

  async #calm(): Promise<void> {
    const { callee, settings, say } = this.#stage;
    const { windowMs, tokens } = settings.quota;
    say("no faults");
    await sleep(2 * windowMs);
    const fromMs = machineNow();
    await sleep(windowMs);
    const window = callee.calls.filter(({ beganMs }) => beganMs > fromMs && beganMs <= fromMs + windowMs);
    this.#seen["used without faults, %"] = (100 * window.reduce((sum, call) => sum + call.tokens, 0)) / tokens;
  }

  /** The ids of leases of the exact budget that a worker reserves. */
  async #reserve(worker: number, task: string): Promise<readonly string[]> {
    const { fleet } = this.#stage;
    fleet.of(worker).tell(`reserve ${task} ${LEASES}`);
    const ids = await fleet.of(worker).said(`reserved ${task}`);
    this.#spent += LEASES * EXACT_UNITS;
    this.#open += LEASES;
    return ids.split(",");
  }

  #settled(units: number, leases = LEASES): void {
    this.#spent -= leases * (EXACT_UNITS - units);
    this.#open -= leases;
  }

  async #kill(exact: ExactBudget): Promise<void> {
    const { fleet, say } = this.#stage;
    say("a process that holds leases is killed between reserve and settle");
    const [worker] = (await fleet.add(1)) as [number];
    const ids = await this.#reserve(worker, "killed");
    await fleet.of(worker).kill();
    await this.#becomes("after a kill its leases stay spent", exact);
    for (const id of ids.slice(0, LEASES / 2)) exact.budget.settle(id, { tokens: 30 });
    this.#settled(30, LEASES / 2);
    await this.#becomes("another process settles them", exact);
    for (const id of ids.slice(0, LEASES / 2)) exact.budget.settle(id, { tokens: 0 });
    await this.#becomes("another process settles them again", exact);
    await this.#goesOn("a process is killed");
  }

  async #settleTwice(exact: ExactBudget, worker: number): Promise<void> {
    const { callee, fleet, say } = this.#stage;
    say("two processes settle the same leases");
    const ids = await this.#reserve(worker, "twice");
    fleet.of(worker).tell("settle 40");
    for (const id of ids) exact.budget.settle(id, { tokens: 40 });
    this.#settled(40);
    await this.#becomes("two processes settle the same leases", exact);
    this.#seen["leases of calls that were settled"] = callee.calls.filter(({ ended }) => ended).length;
    await this.#goesOn("two processes settle the same leases");
  }

  /** A worker settles while the store is away; what it has settled arrives once. */
  async #storeAway(what: string, exact: ExactBudget, worker: number, away: () => Promise<void>): Promise<void> {
    const { callee, fleet, say } = this.#stage;
    say(what);
    await this.#reserve(worker, what.replaceAll(" ", "-"));
    const [calls, gone] = [callee.calls.length, away()];
    fleet.of(worker).tell("settle 10");
    this.#settled(10);
    await gone;
    this.#seen[`${what}: calls begun meanwhile`] = callee.calls.length - calls;
    await this.#becomes(`${what} during settlement`, exact);
    await this.#goesOn(what);
  }

  async #cutStreams(): Promise<void> {
    const { callee, settings, say } = this.#stage;
    say("streams are cut in the middle");
    callee.cuts = true;
    await sleep(settings.quota.windowMs);
    callee.cuts = false;
    this.#seen["streams cut"] = callee.cut;
    await this.#goesOn("streams are cut");
  }

  async #pauseProcess(): Promise<void> {
    const { fleet, settings, say } = this.#stage;
    say("a process stands still past its lateness");
    const [worker = 0] = this.#callers;
    const process = fleet.of(worker);
    process.signal("SIGSTOP");
    await sleep(settings.quota.windowMs);
    process.signal("SIGCONT");
    await this.#goesOn("a process stands still");
    process.tell("wasted pause");
    this.#seen["reservations that came too late"] = Number(await process.said("wasted pause"));
  }

  async #neverSettle(exact: ExactBudget): Promise<void> {
    const { fleet, say } = this.#stage;
    say("leases that are never settled");
    const [worker] = (await fleet.add(1, { callers: 0, settleWithinMs: 1_000 })) as [number];
    await this.#reserve(worker, "never");
    await fleet.of(worker).said("unsettled", 30_000);
    await this.#becomes("leases that are never settled stay spent", exact);
  }

  /** The store comes back empty: what was reserved before is settled without an effect. */
  async #loseData(exact: ExactBudget, worker: number, forget: () => Promise<void>): Promise<void> {
    const { fleet, settings, say } = this.#stage;
    say("the store comes back empty during settlement");
    await this.#reserve(worker, "lost");
    const fromMs = machineNow();
    const gone = forget();
    fleet.of(worker).tell("settle 10");
    await gone;
    // A reservation of before may lie a window ahead.
    this.#losses.push({ fromMs, toMs: machineNow() + settings.quota.windowMs });
    [this.#spent, this.#open] = [0, 0];
    await this.#becomes("settlements of leases that are forgotten change nothing", exact);
    await this.#reserve(worker, "anew");
    await this.#becomes("after a loss of data", exact);
    await this.#goesOn("the store comes back empty");
    await sleep(2 * settings.quota.windowMs);
  }

  async #drain(): Promise<void> {
    const { fleet, say } = this.#stage;
    say("all processes drain");
    const sinceMs = machineNow();
    for (const worker of fleet.living) {
      const process = fleet.of(worker);
      process.tell("drain");
      if ((await process.said("drained", 60_000)) !== "true")
        this.#violations.push(`process ${worker} did not drain in order`);
      await process.finished();
    }
    this.#seen["drained after, ms"] = machineNow() - sinceMs;
  }
}
