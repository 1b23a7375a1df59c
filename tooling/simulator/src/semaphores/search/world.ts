import { createSemaphore, type StoreCapabilities } from "@dt/core";
import * as ledger from "@dt/core/ledger";
import { LedgerChecker } from "../../fleet/check/ledger-checker.ts";
import { Timeline } from "../../fleet/engine/timeline.ts";
import { DataAge } from "../../fleet/world/data-age.ts";
import { Link } from "../../fleet/world/link.ts";
import { SimRuntime } from "../../fleet/world/sim-runtime.ts";
import { SimStore, type StoreRequest } from "../../fleet/world/sim-store.ts";
import type { SimTable } from "../../fleet/world/sim-table.ts";
import { storeClient } from "../../fleet/world/store-client.ts";
import type { Trace } from "../../fleet/world/trace.ts";
import { Random } from "../../random.ts";
import type { SlotBug } from "./bugs/slot-bug.ts";
import { startCallers } from "./callers.ts";
import { InFlight } from "./in-flight.ts";
import { CHURN_MS, DRIFT, type SearchPlan, TIMES } from "./plan.ts";
import { SlotProcess } from "./slot-process.ts";

/** How a world is run. */
export interface Run {
  /** The fault that is put in. Default none. */
  readonly bug?: SlotBug | undefined;
  readonly trace?: Trace | undefined;
}

/** Something that must not happen, and did. */
export interface SlotViolation {
  readonly rule: string;
  readonly atMs: number;
  readonly detail: string;
}

/** One store, some hosts with real semaphores, and the count of the calls in flight. */
export class SlotWorld {
  readonly timeline = new Timeline();
  readonly plan: SearchPlan;
  readonly store: SimStore;
  readonly inFlight: InFlight;
  readonly processes: SlotProcess[] = [];
  readonly violations: SlotViolation[] = [];
  /** The `max` that processes are configured with now. */
  max: number;
  readonly #bug: SlotBug | undefined;
  readonly #trace: Trace | undefined;
  readonly #hosts = new Map<string, { readonly link: Link; boots: number; process: SlotProcess | undefined }>();
  /** When the store gave each answer, in world time. */
  readonly #givenMs = new WeakMap<object, number>();

  constructor(plan: SearchPlan, { bug, trace }: Run = {}) {
    this.plan = plan;
    this.#bug = bug;
    this.#trace = trace;
    this.max = plan.settings.max;
    const random = new Random(plan.seed, "store");
    this.store = new SimStore(
      this.timeline,
      bug?.ledger?.(ledger) ?? ledger,
      1.7e12 + random.between(0, 1e9),
      random.between(-DRIFT, DRIFT),
      new DataAge("sums"),
    );
    const report = (rule: string, detail: string): void => this.report(rule, detail);
    this.inFlight = new InFlight(
      plan.profile,
      () => this.timeline.nowMs,
      () => this.processes,
      report,
    );
    // A standby may not know of the generations that were lost.
    const measured = plan.profile === "failover" ? ["generation-back", "time-back"] : [];
    const rows = new LedgerChecker((rule, detail) => void (measured.includes(rule) || report(rule, detail)));
    this.store.observer = {
      beforeOperation: (table) => rows.beforeOperation(table),
      afterOperation: (table, request, result) => this.#answers(rows, table, request, result),
    };
  }

  report(rule: string, detail: string): void {
    this.note(`violation of ${rule}: ${detail}`);
    this.violations.push({ rule, atMs: this.timeline.nowMs, detail });
  }

  note(text: string): void {
    this.#trace?.add(this.timeline.nowMs, text);
  }

  /** Boots a process on a host, under the host's name as its id. One that ran there is gone. */
  boot(name: string): void {
    const { seed, store, settings } = this.plan;
    const host = this.#hosts.get(name) ?? { link: this.#link(name), boots: 0, process: undefined };
    this.#hosts.set(name, host);
    host.boots += 1;
    const boot = `${name} ${host.boots}`;
    const process = new SlotProcess(
      name,
      host.boots,
      this.timeline,
      new Random(seed, `process ${boot}`),
      (machine) => new SimRuntime(this.timeline, machine, new Random(seed, `runtime ${boot}`), DRIFT),
      this.max,
    );
    host.process = process;
    this.processes.push(process);
    const runtime = this.#bug?.runtime?.(process.runtime) ?? process.runtime;
    const client = storeClient(process.label, this.store, this.timeline, host.link, process, capabilitiesOf(store), {
      sent: () => process.runtime.now(),
      answered: (sentMs, view) => {
        this.#trace?.add(this.timeline.nowMs, `${process.label} is answered ${JSON.stringify(view)}`);
        process.answered(sentMs, view, view && this.#givenMs.get(view));
      },
      refused: (operation, error) => this.report("refused", `${process.label} ${operation}: ${error.message}`),
    });
    const semaphore = createSemaphore({
      name: "g",
      memberId: name,
      max: this.max,
      store: this.#bug?.store?.(client, process) ?? client,
      runtime,
      ...TIMES,
      ...this.#bug?.times,
    });
    process.semaphore = this.#bug?.semaphore?.(semaphore, client) ?? semaphore;
    void process.semaphore.start({ timeout: 0 }).catch(() => undefined);
    startCallers({
      process,
      settings,
      profile: this.plan.profile,
      random: new Random(seed, `callers ${boot}`),
      nowMs: () => this.timeline.nowMs,
      began: () => {
        this.note(`${process.label} begins a call`);
        this.inFlight.began(process);
      },
      report: (rule, detail) => this.report(rule, detail),
    });
    this.note(`${process.label} boots`);
  }

  /** The process on a host that can still do something. */
  running(name: string): SlotProcess | undefined {
    const process = this.#hosts.get(name)?.process;
    return process && !process.gone && !process.isDraining ? process : undefined;
  }

  linkOf(name: string): Link | undefined {
    return this.#hosts.get(name)?.link;
  }

  /** Everything is as it should be from now on. */
  heal(): void {
    for (const { link, process } of this.#hosts.values()) {
      link.heal();
      process?.resume();
    }
    this.store.become("up");
  }

  #link(name: string): Link {
    const { seed, settings } = this.plan;
    const { lost, late, twice } = settings;
    const link = new Link(this.timeline, new Random(seed, `link ${name}`), { latencyMs: 2, lost, healedMs: CHURN_MS });
    link.late = late;
    link.twice = twice;
    return link;
  }

  #answers(rows: LedgerChecker, table: SimTable, request: StoreRequest, result: unknown): void {
    rows.afterOperation(table, request, result);
    this.inFlight.afterOperation(table);
    if (typeof result === "object" && result !== null) this.#givenMs.set(result, this.timeline.nowMs);
    if (!this.#trace) return;
    const held = table.members().map(({ incarnation, held }) => `${incarnation.slice(0, 3)} ${held}`);
    this.note(`store: ${request.label} of ${request.incarnation.slice(0, 3)}; held: ${held.join(", ")}`);
    for (const [incarnation, hint] of table.slots.hints)
      this.note(`store hints ${incarnation.slice(0, 3)}: ${JSON.stringify(hint)}`);
  }
}

function capabilitiesOf(kind: SearchPlan["store"]): StoreCapabilities {
  return {
    name: "sim",
    clock: "server",
    ledger: true,
    losesData: true,
    dataAge: true,
    demand: true,
    slots: kind !== "V0",
    hints: kind === "V1",
  };
}
