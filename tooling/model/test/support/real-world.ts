import { type CoordinationStore, createThrottle, type Runtime, type Throttle, type Use, type View } from "@dt/core";
import * as ledger from "@dt/core/ledger";
import { settle } from "@dt/core/testing";
import { ReferenceTable } from "@dt-tooling/simulator/reference-table";
import { FIRST_TICK, INTERVAL_MS } from "../../src/world/time.ts";

/** As in the model without the quiet rule: silence counts in full. */
class LoudTable extends ReferenceTable {
  override putGroup(row: ledger.GroupRow): void {
    super.putGroup({ ...row, quietLimitMs: Number.POSITIVE_INFINITY });
  }
}

interface Pending {
  readonly work: () => View | undefined;
  /** What the request says of the newest epoch begun. */
  readonly use: Use | undefined;
  readonly resolve: (view: View) => void;
  readonly reject: (error: Error) => void;
  view: View | undefined;
}

interface Slot {
  throttle: Throttle;
  started: boolean;
  timers: { readonly callback: () => void; readonly background: boolean }[];
  pending: Pending | undefined;
  late: (() => View | undefined)[];
}

/** Ticks as times: those of {@link RealWorld.options} fall on the same side of every limit as the model's ticks do. */
const TIMES = {
  interval: INTERVAL_MS,
  validity: 750,
  staleAfter: 2_300,
  learning: 900,
  storeTimeout: 700,
  syncInterval: 700,
};

/** Real throttles on the real ledger, whose calls, answers and time are moved by hand. */
export class RealWorld {
  #table = new LoudTable();
  #nowMs = 0;
  #tick = FIRST_TICK;
  #incarnations = 0;
  readonly #max: number;
  readonly #learns: boolean;
  readonly #dataSinceMs: number;
  readonly slots: Slot[];

  constructor(members: number, max: number, learns: boolean, dataSinceMs: number) {
    this.#max = max;
    this.#learns = learns;
    this.#dataSinceMs = dataSinceMs;
    this.#enter(0);
    this.slots = Array.from({ length: members }, () => this.#newSlot());
  }

  /** The tick. */
  get now(): number {
    return this.#tick;
  }

  /** True where clocks show the epoch before. */
  get isLate(): boolean {
    return Math.floor(this.#nowMs / INTERVAL_MS) < Math.floor(this.#tick / 2);
  }

  /**
   * A tick: in the first of an epoch callers look once by a clock that is late, and then by one that is early.
   */
  tick(look: () => void): void {
    this.#tick += 1;
    this.#enter(-125);
    look();
    this.#enter(0);
    look();
  }

  #enter(offsetMs: number): void {
    const epochMs = Math.floor(this.#tick / 2) * INTERVAL_MS;
    this.#nowMs = this.#tick % 2 === 0 ? epochMs + (offsetMs < 0 ? offsetMs : 1) : epochMs + 375;
  }

  /** A caller takes all there is, or nothing; returns how many tokens. */
  look({ throttle }: Slot, takes: boolean): number {
    if (takes) return throttle.tryAcquireUpTo(1_000);
    throttle.status();
    return 0;
  }

  async send(slot: Slot): Promise<void> {
    if (slot.started) {
      const timer = slot.timers.find(({ background }) => background);
      if (!timer) throw new Error("no background call is scheduled");
      slot.timers = slot.timers.filter((other) => other !== timer);
      timer.callback();
    }
    // A single try: the model's member registers again in a move of its own.
    else
      slot.throttle.start({ timeout: 0 }).then(
        () => {
          slot.started = true;
        },
        () => undefined,
      );
    await settle();
  }

  work(slot: Slot): View | undefined {
    const pending = slot.pending as Pending;
    pending.view = pending.work();
    return pending.view;
  }

  async receive(slot: Slot): Promise<void> {
    const { resolve, view } = slot.pending as Pending;
    slot.pending = undefined;
    resolve(view as View);
    await settle();
  }

  async giveUp(slot: Slot): Promise<void> {
    const { reject } = slot.pending as Pending;
    slot.pending = undefined;
    reject(new Error("the network is gone"));
    await settle();
  }

  /** A copy of the request under way, to arrive later. */
  keep(slot: Slot): void {
    slot.late.push((slot.pending as Pending).work);
  }

  /** Stops; the farewell arrives at once. Returns the new process that comes in its place. */
  async leave(slot: Slot): Promise<Slot> {
    const stopped = slot.throttle.stop();
    await settle();
    this.work(slot);
    (slot.pending as Pending).resolve(undefined as unknown as View);
    await stopped;
    const next = this.#newSlot();
    this.slots.splice(this.slots.indexOf(slot), 1, next);
    return next;
  }

  loseData(): void {
    this.#table = new LoudTable();
  }

  group(): ledger.GroupRow | undefined {
    return this.#table.group();
  }

  #newSlot(): Slot {
    const slot: Partial<Slot> = { started: false, timers: [], pending: undefined, late: [] };
    const id = String(this.#incarnations++);
    const throttle = createThrottle({
      ...{ name: "g", memberId: id, max: this.#max, store: this.#storeOf(slot), runtime: this.#runtimeOf(slot) },
      ...TIMES,
      shares: "even",
      learning: this.#learns ? TIMES.learning : 0,
    });
    return Object.assign(slot as Slot, { throttle });
  }

  #runtimeOf(slot: Partial<Slot>): Runtime {
    return {
      now: () => this.#nowMs,
      random: () => Math.random(),
      setTimer: (callback, _delayMs, options) => {
        const timer = { callback, background: options?.keepAlive === false };
        slot.timers?.push(timer);
        return {
          cancel: () => {
            slot.timers = slot.timers?.filter((other) => other !== timer) ?? [];
          },
        };
      },
    };
  }

  #storeOf(slot: Partial<Slot>): CoordinationStore {
    const call = (work: () => View | undefined, use?: Use): Promise<View> =>
      new Promise<View>((resolve, reject) => {
        slot.pending = { work, use, resolve, reject, view: undefined };
      });
    return {
      capabilities: { name: "by hand", clock: "server", ledger: true, losesData: false, hints: false },
      register: (_, registration) =>
        call(() => ledger.register(this.#table, registration, this.#nowMs, this.#dataSinceMs)),
      sync: (_, member, report) => call(() => ledger.sync(this.#table, member, report, this.#nowMs), report.use),
      deregister: async (_, member, farewell) => {
        await call(() => {
          ledger.deregister(this.#table, member, farewell, this.#nowMs);
          return undefined;
        });
      },
      inspect: async () => ledger.inspect(this.#table, "g", this.#nowMs),
      close: async () => undefined,
    };
  }
}

export type RealSlot = Slot;
