import type { Events } from "@dt/core/internal";
import type { BudgetClient } from "./budget-client.ts";
import { spentUnits, type Usage, WHOLE } from "./cost.ts";
import type { Estimates, Learner } from "./estimates.ts";
import type { BudgetEvents } from "./events.ts";
import type { Lease, LeaseHome } from "./lease.ts";
import { OpenLeases } from "./open-leases.ts";
import type { BudgetSettings } from "./options.ts";
import { PARTS } from "./parts.ts";

/** Counts of a budget's leases since it was made. */
export interface SettlingCounts {
  settled: number;
  /** Of them those whose cost was not measured: they were settled as reserved. */
  estimated: number;
  cancelled: number;
  unsettled: number;
}

/** The leases of a budget from their grant to their settlement. */
export class Settling implements LeaseHome {
  readonly #settings: BudgetSettings;
  readonly #client: BudgetClient;
  readonly #estimates: Estimates;
  readonly #events: Events<BudgetEvents>;
  readonly #leases: OpenLeases;
  readonly #learners = new WeakMap<Lease, Learner>();
  readonly counts: SettlingCounts = { settled: 0, estimated: 0, cancelled: 0, unsettled: 0 };
  /** Units that leases were granted so far, of each limit. */
  readonly reservedUnits: number[];
  /** Called after a lease has left. */
  onLeft: () => void = () => undefined;

  constructor(settings: BudgetSettings, client: BudgetClient, estimates: Estimates, events: Events<BudgetEvents>) {
    this.#settings = settings;
    this.reservedUnits = settings.limits.map(() => 0);
    this.#client = client;
    this.#estimates = estimates;
    this.#events = events;
    this.#leases = new OpenLeases(settings.runtime, settings.settleWithinMs, () => this.#unsettled(1));
    client.onLost = (settlements) => this.#unsettled(settlements);
  }

  /** Leases that are open. */
  get open(): number {
    return this.#leases.size;
  }

  add(lease: Lease, learner: Learner): void {
    const { reservedUnits } = this;
    for (const [index, { name }] of this.#settings.limits.entries())
      reservedUnits[index] = (reservedUnits[index] ?? 0) + (lease.cost[name] ?? 0);
    this.#learners.set(lease, learner);
    this.#leases.add(lease);
  }

  settle(lease: Lease, usage: Usage | undefined): void {
    const { limits } = this.#settings;
    const spent = usage === undefined ? [] : spentUnits(usage, limits);
    const measured = spent.some((units) => units !== undefined);
    const costs = limits.map(({ name }, index) => spent[index] ?? (lease.cost[name] as number));
    const learner = this.#learners.get(lease);
    this.#client.settle({ id: lease.id, costs, measured });
    if (usage !== undefined && learner) this.#learn(usage, learner);
    this.counts.settled += 1;
    if (!measured) this.counts.estimated += 1;
    if (this.#events.has("settled")) this.#events.emit("settled", { cost: this.#named(costs), measured });
    this.#leave(lease);
  }

  cancel(lease: Lease): void {
    this.#client.settle({ id: lease.id, costs: this.#settings.limits.map(() => 0), measured: false });
    this.counts.cancelled += 1;
    this.#leave(lease);
  }

  /** Forgets the leases that are open: they stay spent. */
  stop(): void {
    this.#leases.clear();
  }

  #leave(lease: Lease): void {
    this.#leases.remove(lease);
    this.onLeft();
  }

  #learn(usage: Usage, learner: Learner): void {
    for (const { name } of this.#settings.limits) {
      const spent = usage[name];
      if (typeof spent === "number") this.#estimates.learn(name, WHOLE, learner, spent);
      else if (spent !== undefined)
        for (const part of PARTS)
          if (spent[part] !== undefined) this.#estimates.learn(name, part, learner, spent[part]);
    }
  }

  #unsettled(leases: number): void {
    this.counts.unsettled += leases;
    if (this.#events.has("unsettled")) this.#events.emit("unsettled", { leases });
    this.onLeft();
  }

  #named(costs: readonly number[]): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#settings.limits.map(({ name }, index) => [name, costs[index] as number]));
  }
}
