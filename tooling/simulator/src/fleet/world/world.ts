import { createThrottle, type StoreCapabilities } from "@dt/core";
import * as ledger from "@dt/core/ledger";
import { Random } from "../../random.ts";
import type { Bug } from "../bugs/bug.ts";
import { Checker } from "../check/checker.ts";
import { checkFencing } from "../check/fencing.ts";
import { LedgerChecker } from "../check/ledger-checker.ts";
import { Timeline } from "../engine/timeline.ts";
import type { CallerKind, Plan } from "../plan/plan.ts";
import { type CallerContext, startCallers } from "./callers.ts";
import { DataAge } from "./data-age.ts";
import { giveBack } from "./give-back.ts";
import { Link } from "./link.ts";
import { SimProcess } from "./sim-process.ts";
import { SimRuntime } from "./sim-runtime.ts";
import { SimStore } from "./sim-store.ts";
import { storeClient } from "./store-client.ts";
import type { Trace } from "./trace.ts";
import { Waking } from "./waking.ts";

/** A host: its link to the store outlives its processes. */
interface Slot {
  readonly link: Link;
  readonly caller: CallerKind;
  boots: number;
  process: SimProcess | undefined;
}

/** How a world is run. */
export interface Run {
  /** The fault that is put in. Default none. */
  readonly bug?: Bug | undefined;
  readonly trace?: Trace | undefined;
}

/** How long a supervisor takes to start a process again. */
const RESTART_MS = 500;

/**
 * A running world: one store, some hosts, the checker that watches them. Faults and the end of a run are somebody
 * else's.
 */
export class World {
  readonly timeline = new Timeline();
  readonly plan: Plan;
  readonly store: SimStore;
  readonly checker: Checker;
  readonly slots = new Map<string, Slot>();
  readonly processes: SimProcess[] = [];
  readonly trace: Trace | undefined;
  /** The `max` that processes are configured with now; a new boot takes it. */
  max: number;
  /** True once churn is over: callers then only take all they can. */
  calm = false;
  readonly #bug: Bug | undefined;
  readonly #links = new Map<string, Link>();
  readonly #runtimes = new Map<SimProcess, SimRuntime>();

  constructor(plan: Plan, { bug, trace }: Run = {}) {
    this.#bug = bug;
    this.plan = plan;
    this.trace = trace;
    this.max = plan.settings.max;
    const random = new Random(plan.seed, "store");
    const drift = random.between(-plan.settings.drift, plan.settings.drift);
    const dataAge = new DataAge(plan.settings.dataAge === "clock" ? "clock" : "sums");
    this.store = new SimStore(
      this.timeline,
      bug?.ledger?.(ledger) ?? ledger,
      1.7e12 + random.between(0, 1e9),
      drift,
      dataAge,
    );
    this.checker = new Checker(
      plan.profile,
      plan.settings,
      this.store,
      () => this.timeline.nowMs,
      (process) => this.runtimeOf(process).now(),
    );
    this.store.observer = new LedgerChecker((rule, detail) => this.checker.report(rule, detail));
  }

  note(text: string): void {
    this.trace?.add(this.timeline.nowMs, text);
  }

  /** Boots a process on a host, under the host's name as its id. */
  boot(name: string, caller: CallerKind): SimProcess {
    const { seed, settings } = this.plan;
    const slot = this.slots.get(name) ?? { link: this.link(name), caller, boots: 0, process: undefined };
    this.slots.set(name, slot);
    slot.boots += 1;
    const boot = `${name} ${slot.boots}`;
    const small = new Random(seed, `clock error ${boot}`).chance(0.6) ? settings.smallClockErrorMs : undefined;
    const random = new Random(seed, `process ${boot}`);
    const process = new SimProcess(name, slot.boots, this.timeline, random, small ?? settings.clockErrorMs);
    const runtime = new SimRuntime(
      this.timeline,
      process,
      new Random(seed, `runtime ${name} ${slot.boots}`),
      settings.drift,
      settings.bootReading,
    );
    slot.process = process;
    this.processes.push(process);
    this.#runtimes.set(process, runtime);
    const own = this.#bug?.runtime?.(runtime) ?? runtime;
    const client = this.#client(slot, process, runtime);
    const throttle = createThrottle({
      name: "g",
      memberId: name,
      ...this.limit(this.max),
      mode: settings.mode,
      store: this.#bug?.store?.(client, own) ?? client,
      runtime: own,
      interval: settings.intervalMs,
      staleAfter: settings.staleAfterMs,
      validity: settings.validityMs,
      syncInterval: settings.syncIntervalMs,
      storeTimeout: settings.storeTimeoutMs,
      clockError: process.clockErrorMs,
      learning: settings.learningMs,
      resumeWithin: settings.resumeWithinMs,
      release: settings.release,
      shares: this.#sharesOf(boot),
      onStoreLost: settings.onStoreLost,
    });
    process.throttle = this.#bug?.throttle?.(throttle) ?? throttle;
    this.#listen(process, slot);
    this.#start(process, slot, runtime);
    this.note(`${process.label} boots, clock ${runtime.now().toFixed(3)}`);
    return process;
  }

  #sharesOf(boot: string): "even" | "demand" {
    const { seed, settings } = this.plan;
    if (!settings.shares) return "even";
    return settings.shares === "demand" || new Random(seed, `shares ${boot}`).chance(0.5) ? "demand" : "even";
  }

  runtimeOf(process: SimProcess): SimRuntime {
    return this.#runtimes.get(process) as SimRuntime;
  }

  /** The link of a host, which may be there before anything runs on it. */
  link(name: string): Link {
    const link = this.#links.get(name) ?? this.#newLink(name);
    this.#links.set(name, link);
    return link;
  }

  #newLink(name: string): Link {
    const { seed, settings, churnMs } = this.plan;
    const { latencyMs, lost } = settings;
    return new Link(this.timeline, new Random(seed, `link ${name}`), { latencyMs, lost, healedMs: churnMs });
  }

  /** Every link as it should be. */
  healLinks(): void {
    for (const link of this.#links.values()) link.heal();
  }

  /** The limit and its ramp as they are configured when `max` is this. */
  limit(max: number): { readonly max: number; readonly min: number; readonly rampUp: number } {
    const { min, rampUpMs } = this.plan.settings;
    return { max, min: Math.min(min, max), rampUp: rampUpMs };
  }

  /** The process that runs on a host now, if it can still do something. */
  running(name: string): SimProcess | undefined {
    const process = this.slots.get(name)?.process;
    return process?.state === "running" ? process : undefined;
  }

  get alive(): readonly SimProcess[] {
    return this.processes.filter((process) => process.alive);
  }

  stop(process: SimProcess): void {
    this.note(`${process.label} stops`);
    process.deliver("timer", () => {
      process.state = "stopping";
      process.pending += 1;
      process.throttle.stop().then(() => {
        process.pending -= 1;
        this.note(`${process.label} has stopped`);
      });
    });
  }

  crash(process: SimProcess): void {
    this.note(`${process.label} crashes`);
    process.crash();
  }

  /** The host of a process is suspended; its clock stands still. */
  suspend(process: SimProcess, forMs: number): void {
    if (process.frozen || !process.alive) return;
    const { bootReading = "none" } = this.plan.settings;
    const runtime = this.runtimeOf(process);
    runtime.suspend(forMs);
    process.suspend(forMs, new Waking(forMs, bootReading, runtime.now(), process.clockErrorMs));
  }

  startCaller(kind: CallerKind, process: SimProcess): void {
    const runtime = this.runtimeOf(process);
    const { seed, settings } = this.plan;
    const context: CallerContext = {
      process,
      runtime,
      settings,
      random: new Random(seed, `caller ${process.label} ${kind}`),
      nextEpochMs: () => {
        const inEpochMs = this.store.groupTimeMs % settings.intervalMs;
        return runtime.now() + settings.intervalMs - inEpochMs;
      },
      // Callers do not know that the throttle is being stopped.
      ended: () => (process.alive ? this.calm && kind !== "greedy" : true),
      calm: () => this.calm,
      giveBack: (grant, k) => giveBack(this.checker, process, grant, k),
      asks: (cost) => {
        process.largestCost = Math.max(process.largestCost, cost);
      },
      began: (cost) => {
        if (!this.calm) this.checker.began(process, cost);
      },
      batched: (items) => this.checker.batched(process, items),
      takeOver: () => this.startCaller("greedy", process),
    };
    startCallers(kind, context);
  }

  /** Churn is over: all that is there is taken. Who reads batches does so once the last one is out. */
  calmCaller(process: SimProcess): void {
    const caller = this.slots.get(process.name)?.caller;
    if (caller !== "greedy" && caller !== "batches") this.startCaller("greedy", process);
  }

  /** What callers got must be what was counted, once nothing is on its way. */
  checkCounts(): void {
    for (const process of this.processes) if (process.alive) this.checker.checkCount(process);
  }

  #start(process: SimProcess, slot: Slot, runtime: SimRuntime): void {
    process.throttle.start({ timeout: 0 }).then(
      () => {
        process.started = true;
        this.note(`${process.label} has started`);
        this.startCaller(slot.caller, process);
        if (this.calm) this.calmCaller(process);
      },
      (error: { readonly code?: string; readonly message: string }) => {
        this.note(`${process.label} could not start: ${error.message}`);
        if (error.code === "DT_STOPPED") return;
        runtime.setTimer(() => {
          if (process.state === "running") this.#start(process, slot, runtime);
        }, 200);
      },
    );
  }

  #listen(process: SimProcess, slot: Slot): void {
    const { throttle } = process;
    throttle.on("grant", ({ epoch, tokens }) => {
      this.trace?.add(this.timeline.nowMs, `${process.label} grants ${tokens} in ${epoch}`);
      this.checker.granted(process, epoch, tokens);
    });
    throttle.on("deposit", ({ epoch, tokens, regrantable }) => {
      const late = regrantable ? "" : ", late";
      this.trace?.add(this.timeline.nowMs, `${process.label} takes back ${tokens} of ${epoch}${late}`);
      // Callers of the other kinds report themselves what they give back.
      if (slot.caller === "collecting") this.checker.tookBack(process, epoch, tokens, regrantable);
    });
    throttle.on("fenced", () => {
      this.note(`${process.label} is fenced`);
      this.#superviseFenced(process);
    });
    throttle.on("validityLost", () => this.note(`${process.label} lost validity`));
  }

  /** A process that is told that another has its id ends; when it is the newest, its supervisor starts it anew. */
  #superviseFenced(process: SimProcess): void {
    const slot = this.slots.get(process.name);
    if (slot?.process !== process) return;
    checkFencing(this, process);
    this.timeline.after(RESTART_MS, () => {
      if (slot.process !== process || process.state !== "running") return;
      this.stop(process);
      this.boot(process.name, slot.caller);
    });
  }

  #client(slot: Slot, process: SimProcess, runtime: SimRuntime): ReturnType<typeof storeClient> {
    const { settings } = this.plan;
    const capabilities: StoreCapabilities = {
      name: "sim",
      clock: "server",
      ledger: true,
      losesData: true,
      hints: settings.hints,
      ...(settings.dataAge && { dataAge: true }),
      ...(settings.shares && { demand: true }),
    };
    return storeClient(process.label, this.store, this.timeline, slot.link, process, capabilities, {
      sent: (incarnation, report) => {
        if (incarnation !== "") process.incarnation = incarnation;
        if (report) {
          this.checker.reports(process, report.held);
          process.reports((report.use?.used ?? 0) - report.held);
        } else {
          this.checker.registers(process);
        }
        return runtime.now();
      },
      answered: (sentMs, view) => {
        const takenMs = runtime.now() - sentMs;
        this.trace?.add(
          this.timeline.nowMs,
          `${process.label} is answered after ${takenMs.toFixed(3)}: ${JSON.stringify(view)}`,
        );
        if (!view?.status || takenMs > settings.storeTimeoutMs || process.state === "stopping") return;
        process.waking?.answered(sentMs, takenMs);
        const silentMs = view.storeTimeMs - (process.lastView?.storeTimeMs ?? Number.POSITIVE_INFINITY);
        const expired =
          runtime.now() >= process.lastViewSentMs + settings.validityMs || silentMs >= settings.staleAfterMs;
        if (view.status === "agree" || view.status === "disagree") {
          process.lastView = view;
          process.joinedAtMs = Math.min(process.joinedAtMs, this.timeline.nowMs);
          process.lastViewSentMs = sentMs;
        }
        this.checker.answered(process, view, expired);
      },
      refused: (operation, error) => this.checker.report("refused", `${process.label} ${operation}: ${error.message}`),
    });
  }
}
