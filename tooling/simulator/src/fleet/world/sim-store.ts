import type { SlotHint } from "@dt/core";
import { isNews, isPauseNews } from "@dt/core/ledger";
import type { Ledger } from "../bugs/bug.ts";
import type { Timeline } from "../engine/timeline.ts";
import type { DataAge } from "./data-age.ts";
import { SimTable } from "./sim-table.ts";

/** A request as it arrives: an operation on the ledger, and where the answer goes. */
export interface StoreRequest {
  /** Whom it is from and what it is, for the trace. */
  readonly label: string;
  readonly operation: "register" | "sync" | "deregister" | "inspect";
  /** Which boot of a process it is from. */
  readonly incarnation: string;
  run(table: SimTable, clockMs: number): unknown;
  answer(result: { readonly value: unknown } | { readonly error: unknown } | "refused"): void;
}

/** What looks at the ledger after every operation. */
export interface StoreObserver {
  beforeOperation(table: SimTable): void;
  afterOperation(table: SimTable, request: StoreRequest, result: unknown): void;
}

/**
 * The server: the real ledger functions over one group's rows, with a clock that can be set and a state that can be
 * lost.
 */
export class SimStore {
  table = new SimTable();
  /** Counts losses of data and of writes. */
  era = 0;
  clockJumps = 0;
  /** World time at which each boot's first request was carried out. */
  readonly firstHeardMs = new Map<string, number>();
  /** World time at which each boot was last registered. */
  readonly registeredMs = new Map<string, number>();
  readonly #timeline: Timeline;
  readonly ledger: Ledger;
  readonly #rate: number;
  #baseMs: number;
  readonly #dataAge: DataAge;
  #state: "up" | "paused" | "silent" | "refused" = "up";
  #queue: StoreRequest[] = [];
  readonly #listeners = new Set<(about?: "pause") => void>();
  /** Of each boot of a process that listens. */
  readonly #slotListeners = new Map<string, (hint: SlotHint) => void>();

  constructor(timeline: Timeline, ledger: Ledger, baseMs: number, drift: number, dataAge: DataAge) {
    this.#timeline = timeline;
    this.ledger = ledger;
    this.#baseMs = baseMs;
    this.#rate = 1 + drift;
    this.#dataAge = dataAge;
  }

  /** The server's clock. */
  get clockMs(): number {
    return this.#baseMs + this.#timeline.nowMs * this.#rate;
  }

  /** The group's time now: the server's clock and what the ledger adds to it so that it never goes back. */
  get groupTimeMs(): number {
    const row = this.table.group();
    return row ? Math.max(this.clockMs + row.offsetMs, row.lastMs) : this.clockMs;
  }

  /** True while a store that lost its data learns what survivors hold. */
  get learning(): boolean {
    const row = this.table.group();
    return row !== undefined && this.groupTimeMs - row.lapsedMs < row.learnUntilMs;
  }

  /** Time on the server's clock since which its data was certainly not lost; of interest when a group is made. */
  dataSinceMs(): number {
    return this.table.group() ? 0 : this.#dataAge.sinceMs(this.clockMs);
  }

  setClock(byMs: number): void {
    this.#baseMs += byMs;
    this.clockJumps += 1;
  }

  become(state: "up" | "paused" | "silent" | "refused"): void {
    this.#state = state;
    if (state === "paused") return;
    const waiting = this.#queue;
    this.#queue = [];
    if (state === "up") for (const request of waiting) this.receive(request);
  }

  loseData(): void {
    this.restore(new SimTable());
  }

  restore(table: SimTable): void {
    this.table = table;
    this.era += 1;
    this.#dataAge.lost(this.clockMs);
  }

  onHint(listener: (about?: "pause") => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  onSlotHint(incarnation: string, listener: (hint: SlotHint) => void): () => void {
    this.#slotListeners.set(incarnation, listener);
    return () => this.#slotListeners.delete(incarnation);
  }

  /** A request arrives. */
  receive(request: StoreRequest): void {
    switch (this.#state) {
      case "paused":
        this.#queue.push(request);
        return;
      case "silent":
        return;
      case "refused":
        request.answer("refused");
        return;
      case "up":
        this.#execute(request);
    }
  }

  observer: StoreObserver | undefined;

  #execute(request: StoreRequest): void {
    const before = this.table.group();
    const { nowMs } = this.#timeline;
    if (!this.firstHeardMs.has(request.incarnation)) this.firstHeardMs.set(request.incarnation, nowMs);
    if (request.operation === "register") this.registeredMs.set(request.incarnation, nowMs);
    this.observer?.beforeOperation(this.table);
    let result: { value: unknown } | { error: unknown };
    try {
      result = { value: request.run(this.table.begin(), this.clockMs) };
    } catch (error) {
      result = { error };
    }
    this.observer?.afterOperation(this.table, request, "value" in result ? result.value : undefined);
    const after = this.table.group();
    const about = isPauseNews(before, after) ? "pause" : undefined;
    if (isNews(before, after)) for (const notify of this.#listeners) notify(about);
    for (const [incarnation, hint] of this.table.slots.hints) this.#slotListeners.get(incarnation)?.(hint);
    request.answer(result);
  }
}
