import type { SimTable } from "../../fleet/world/sim-table.ts";
import type { Profile } from "./plan.ts";
import type { SlotProcess } from "./slot-process.ts";

/** How often more than `max` calls were in flight, by the state that allows it: see the README of core. */
export interface NamedStates {
  /** N1: calls that go on although their signal has fired, or of a process that stood still. */
  n1: number;
  /** N2: max was lowered, or was lower before a loss of data. */
  n2: number;
  /** N3: the store lost its newest writes. Only in the profile `failover`. */
  n3: number;
  /** N4: what the callee still does for a process that died. */
  n4: number;
}

/** The capacity at the store, as it was, and the calls in flight of every process, beside each other. */
export class InFlight {
  readonly states: NamedStates = { n1: 0, n2: 0, n3: 0, n4: 0 };
  begun = 0;
  readonly #nowMs: () => number;
  readonly #profile: Profile;
  readonly #processes: () => readonly SlotProcess[];
  readonly #report: (rule: string, detail: string) => void;
  readonly #capacities: { readonly fromMs: number; readonly capacity: number }[] = [{ fromMs: 0, capacity: 0 }];
  /** The most that may have been in use when the data was lost. */
  #atLoss = 0;

  constructor(
    profile: Profile,
    nowMs: () => number,
    processes: () => readonly SlotProcess[],
    report: (rule: string, detail: string) => void,
  ) {
    this.#profile = profile;
    this.#nowMs = nowMs;
    this.#processes = processes;
    this.#report = report;
  }

  /** The store has carried out an operation. */
  afterOperation(table: SimTable): void {
    const { capacity = 0 } = table.group() ?? {};
    if (this.#capacities.at(-1)?.capacity !== capacity) this.#capacities.push({ fromMs: this.#nowMs(), capacity });
  }

  /** @param isLearning whether the group learned already */
  dataLost(table: SimTable, isLearning: boolean): void {
    const { capacity = 0, held = 0 } = table.group() ?? {};
    const before = Number.isFinite(capacity) ? capacity : 0;
    this.#atLoss = Math.max(before, held, isLearning ? this.#atLoss : 0);
    this.#capacities.push({ fromMs: this.#nowMs(), capacity: 0 });
  }

  /** A call of this process began. */
  began(process: SlotProcess): void {
    this.begun += 1;
    let [all, checked, alive] = [0, 0, 0];
    for (const other of this.#processes()) {
      other.look();
      for (const { cost, lost } of other.calls) {
        all += cost;
        if (!other.gone) alive += cost;
        if (!lost || (this.#profile === "obeyed" && !other.gone)) checked += cost;
      }
    }
    const now = this.#capacities.at(-1)?.capacity ?? 0;
    const allowed = Math.max(this.#mostSince(process.answeredMs), process.learning ? this.#atLoss : 0);
    if (checked > allowed && this.#profile === "failover") this.states.n3 += 1;
    else if (checked > allowed)
      this.#report(
        "max",
        `${process.label} begins: ${checked} slots in use, ${all} in flight (${this.text()}), allowed ${allowed}`,
      );
    else if (checked > now) this.states.n2 += 1;
    if (alive > allowed) this.states.n1 += 1;
    else if (all > allowed) this.states.n4 += 1;
  }

  /** The largest capacity that was in force since then. */
  #mostSince(sinceMs: number): number {
    let most = 0;
    for (let index = this.#capacities.length - 1; index >= 0; index--) {
      const { fromMs, capacity } = this.#capacities[index] as { fromMs: number; capacity: number };
      most = Math.max(most, capacity);
      if (fromMs <= sinceMs) break;
    }
    return most;
  }

  /** Who has which calls in flight: each by its cost, with a mark where its right is over. */
  text(): string {
    const parts = this.#processes()
      .filter(({ calls }) => calls.size > 0)
      .map(({ label, calls, gone, frozen }) => {
        const costs = [...calls].map(({ cost, lost }) => `${cost}${lost ? "!" : ""}`);
        return `${label}${gone ? " (gone)" : frozen ? " (paused)" : ""} ${costs.join("+")}`;
      });
    return parts.join(", ");
  }

  /**
   * Slots that are free although callers wait for them.
   * @param undivided whether those count that go round, since they cannot be divided
   */
  free(undivided: boolean): number {
    let [inUse, wanted, members] = [0, 0, 0];
    for (const process of this.#processes()) {
      if (process.gone) continue;
      for (const { cost } of process.calls) inUse += cost;
      if (process.isDraining) continue;
      wanted += process.wanted;
      members += 1;
    }
    const capacity = this.#capacities.at(-1)?.capacity ?? 0;
    const undividable = undivided || members === 0 ? 0 : capacity % members;
    return Math.max(0, Math.min(wanted, capacity - undividable) - inUse);
  }
}
