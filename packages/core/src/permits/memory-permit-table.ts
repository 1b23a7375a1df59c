import type { LimitRecordHead } from "../limits/limit-row.ts";
import type {
  FreedInstant,
  InspectablePermitTable,
  PermitCounts,
  PermitEntry,
  PermitRow,
  ResettablePermitTable,
} from "./permit-table.ts";

/** Everything that is known of a key. */
export interface PermitState {
  readonly row: PermitRow | undefined;
  readonly entries: readonly PermitEntry[];
  /** Instants given back, ascending. */
  readonly freed: readonly FreedInstant[];
  /** Who is in the queue until when, from its front. */
  readonly queue: readonly (readonly [id: string, untilMs: number])[];
}

/** When the last permit of a reservation comes. */
export function lastInstantOf({ earliestMs, firstMs, stepMs, granted }: PermitEntry): number {
  return Math.max(earliestMs, firstMs + (granted - 1) * stepMs);
}

/** What `forgetAfter` answers of the reservations that are left. */
export function latestInstant(entries: readonly PermitEntry[]): FreedInstant | undefined {
  if (entries.length === 0) return undefined;
  return entries.reduce(
    ({ atMs, widthMs }, entry) => ({
      atMs: Math.max(atMs, lastInstantOf(entry)),
      widthMs: Math.min(widthMs, entry.stepMs),
    }),
    { atMs: Number.NEGATIVE_INFINITY, widthMs: Number.POSITIVE_INFINITY },
  );
}

/** Fewer reservations than this are not worth clearing away. */
const FEW = 64;

/** One key in memory. Lists stay as short as what is reserved ahead or waits in the queue. */
export class MemoryPermitTable implements ResettablePermitTable, InspectablePermitTable {
  #row: PermitRow | undefined;
  readonly #entries = new Map<string, PermitEntry>();
  /**
   * What was to be forgotten by this time is forgotten, though it may not have been cleared away; except what was put
   * since.
   */
  #forgottenMs = Number.NEGATIVE_INFINITY;
  readonly #putSince = new Set<string>();
  /**
   * With so many it is time to clear away: so often that there are never more than twice those that are known, so
   * seldom that each is looked at a few times.
   */
  #clearAt = FEW;
  #freed: FreedInstant[] = [];
  readonly #queue: Map<string, number>;
  readonly limit?: () => LimitRecordHead | undefined;

  /**
   * @param state what {@link state} gave; nothing is known without it
   * @param limit the key's limit record; left out where the store keeps none
   */
  constructor(
    state: PermitState = { row: undefined, entries: [], freed: [], queue: [] },
    limit?: () => LimitRecordHead | undefined,
  ) {
    if (limit) this.limit = limit;
    this.#row = state.row && { ...state.row };
    for (const entry of state.entries) this.#entries.set(entry.id, entry);
    this.#freed = [...state.freed];
    this.#queue = new Map(state.queue);
  }

  state(): PermitState {
    this.#clear();
    const [row, entries, queue] = [this.row(), [...this.#entries.values()], [...this.#queue]];
    return { row, entries, freed: [...this.#freed], queue };
  }

  row(): PermitRow | undefined {
    return this.#row && { ...this.#row };
  }

  putRow(row: PermitRow): void {
    this.#row = { ...row };
  }

  entry(id: string): PermitEntry | undefined {
    const entry = this.#entries.get(id);
    return entry && this.#isKnown(entry) ? entry : undefined;
  }

  putEntry(entry: PermitEntry): void {
    this.#entries.set(entry.id, entry);
    this.#putSince.add(entry.id);
  }

  forgetEntries(nowMs: number): void {
    this.#forgottenMs = nowMs;
    this.#putSince.clear();
    if (this.#entries.size < this.#clearAt) return;
    this.#clear();
    this.#clearAt = Math.max(FEW, 2 * this.#entries.size);
  }

  takeFreed(fromMs: number, widthMs: number): FreedInstant | undefined {
    this.#freed = this.#freed.filter(({ atMs }) => atMs >= fromMs);
    const index = this.#freed.findIndex((instant) => instant.widthMs >= widthMs);
    return index < 0 ? undefined : this.#freed.splice(index, 1)[0];
  }

  addFreed(instant: FreedInstant): void {
    const index = this.#freed.findIndex(({ atMs }) => atMs > instant.atMs);
    this.#freed.splice(index < 0 ? this.#freed.length : index, 0, instant);
  }

  aheadInQueue(id: string, nowMs: number): number {
    let ahead = 0;
    for (const [other, untilMs] of this.#queue) {
      if (other === id) return ahead;
      if (untilMs <= nowMs) this.#queue.delete(other);
      else ahead += 1;
    }
    return ahead;
  }

  enqueue(id: string, untilMs: number): void {
    this.#queue.set(id, untilMs);
  }

  leaveQueue(id: string): void {
    this.#queue.delete(id);
  }

  forgetAfter(untilMs: number): FreedInstant | undefined {
    this.#clear();
    this.#queue.clear();
    this.#freed = [];
    const left = [...this.#entries.values()].filter(({ granted }) => granted > 0);
    for (const entry of left) if (lastInstantOf(entry) > untilMs) this.#entries.delete(entry.id);
    return latestInstant(left.filter(({ id }) => this.#entries.has(id)));
  }

  count(nowMs: number, fromMs: number): PermitCounts {
    const known = [...this.#entries.values()].filter((entry) => entry.forgetAtMs > nowMs && this.#isKnown(entry));
    const freed = this.#freed.filter(({ atMs }) => atMs >= fromMs);
    const waiting = [...this.#queue.values()].filter((untilMs) => untilMs > nowMs);
    return { known: known.length, freed: freed.length, waiting: waiting.length };
  }

  #isKnown({ id, forgetAtMs }: PermitEntry): boolean {
    return forgetAtMs > this.#forgottenMs || this.#putSince.has(id);
  }

  #clear(): void {
    for (const [id, entry] of this.#entries) if (!this.#isKnown(entry)) this.#entries.delete(id);
  }
}
