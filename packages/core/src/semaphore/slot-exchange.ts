import { checkView, isMember } from "../consensus/check-view.ts";
import type { FleetPause } from "../consensus/fleet-pause.ts";
import type { StoreCalls } from "../consensus/store-calls.ts";
import type { Farewell, MemberView, View } from "../contract/coordination-store.ts";
import type { Demand, SlotDemand } from "../contract/demand.ts";
import { DtError } from "../errors/dt-error.ts";
import { SLOT_INTERVAL_MS } from "../ledger/slot-answer.ts";
import { SleepWatch } from "../runtime/sleep-watch.ts";
import { RoundTrips } from "./round-trips.ts";
import type { SemaphoreSettings } from "./settings.ts";
import type { SlotShare } from "./slot-share.ts";
import type { SlotReport } from "./slot-share-state.ts";
import type { SlotValidity } from "./slot-validity.ts";

/** What an exchange asks of and tells the member that it speaks for. */
export interface SlotExchangeHost {
  /** Slots that the first caller waits for; 0 where no caller waits. */
  head(): number;
  /** A request is sent, which says that so many slots are wanted. */
  sent(nowMs: number, want: number): void;
  /** An answer was taken in, before anything else happens. */
  accepted(view: MemberView, nowMs: number, rose: boolean, isRegistration: boolean): void;
  /** The machine was suspended. */
  stoodStill(forMs: number): void;
}

/** What one member of a semaphore says to the store, and what follows from each answer. */
export class SlotExchange {
  readonly roundTrips = new RoundTrips();
  readonly #settings: SemaphoreSettings;
  readonly #calls: StoreCalls;
  readonly #share: SlotShare;
  readonly #validity: SlotValidity;
  readonly #host: SlotExchangeHost;
  readonly #pause: FleetPause;
  readonly #sleep: SleepWatch;
  #seq = 0;
  #generation = 0;
  #joinedBefore = false;
  #observedMs = 0;
  /** Store time of the last answer to a member: it was not removed before. */
  #heardMs = Number.POSITIVE_INFINITY;

  constructor(
    settings: SemaphoreSettings,
    calls: StoreCalls,
    share: SlotShare,
    validity: SlotValidity,
    pause: FleetPause,
    host: SlotExchangeHost,
  ) {
    this.#settings = settings;
    this.#calls = calls;
    this.#share = share;
    this.#validity = validity;
    this.#pause = pause;
    this.#host = host;
    this.#sleep = new SleepWatch(settings.runtime);
  }

  /** The last request that was sent; 0 before the first: then the store cannot know this process. */
  get seq(): number {
    return this.#seq;
  }

  /** How long a slot above the water level is kept while others wait for one. */
  get turnMs(): number {
    return this.#settings.turnMs ?? Math.max(100, 50 * this.roundTrips.medianMs);
  }

  /** Joins the group, or joins it again. */
  async register(): Promise<View> {
    const { store, runtime, group, memberId, incarnation, staleAfterMs, learningMs, stored } = this.#settings;
    if (store.setUp) await this.#calls.setUp();
    const nowMs = runtime.now();
    const { code: max } = this.#share;
    const claim = this.#share.claim(nowMs);
    const report = { seq: ++this.#seq, held: claim, max, isRegistration: true };
    const registration = {
      id: memberId,
      incarnation,
      seq: report.seq,
      rejoin: this.#joinedBefore,
      claim,
      max,
      ...(stored && { stored }),
      level: null,
      intervalMs: SLOT_INTERVAL_MS,
      staleAfterMs,
      learningMs,
      resumeWithinMs: 0,
      observedMs: this.#observedMs,
      demand: this.#demand(0, { waiting: 0, head: 0, tookOffer: false }),
    };
    this.#host.sent(nowMs, 0);
    const view = await this.#roundTrip(report, (signal) => store.register(group, registration, signal));
    if (view.status !== "unknown") return view;
    const { name } = store.capabilities;
    const fault = `the ${name} store answered a registration with "unknown"`;
    throw this.#calls.failed("register", new DtError("DT_STORE_REPLY", fault));
  }

  /** Heartbeat and report. */
  sync(): Promise<View> {
    const { store, stored, runtime, group, memberId: id, incarnation } = this.#settings;
    const share = this.#share;
    const nowMs = runtime.now();
    const want = share.isClosed ? 0 : share.want(nowMs);
    const waiting = share.isClosed ? 0 : Math.max(0, Math.min(share.awaited, share.cap - share.inUse));
    const held = share.report(nowMs);
    const { code: max } = share;
    const slots = { waiting, head: waiting > 0 ? this.#host.head() : 0, tookOffer: share.tookOffer(this.#seq) };
    const pause = this.#pause.toTell(nowMs);
    const report = { seq: ++this.#seq, held, max, isRegistration: false, pause };
    const request = {
      seq: report.seq,
      generation: this.#generation,
      members: share.members,
      held,
      max,
      ...(stored && { stored }),
      level: null,
      observedMs: this.#observedMs,
      // What is freed was never in use by what is reported here: it may be raised elsewhere at once.
      use: { epoch: 0, used: share.inUse },
      demand: this.#demand(want, slots),
      activity: { used: share.inUse, waiting: share.waiting },
      ...(pause !== undefined && { pauseMs: pause - nowMs }),
    };
    this.#host.sent(nowMs, want);
    return this.#roundTrip(report, (signal) => store.sync(group, { id, incarnation }, request, signal));
  }

  /** What is said at the end: nothing runs any more. */
  farewell(): Farewell {
    return { seq: ++this.#seq, level: null, observedMs: this.#observedMs, use: { epoch: 0, used: 0 } };
  }

  /**
   * Looks whether the machine was suspended, where the runtime can tell: the share then ended unseen. True when it was.
   */
  noticeSleep(): boolean {
    if (!this.#sleep.noticed()) return false;
    this.#validity.end();
    this.#host.stoodStill(this.#sleep.lastMs);
    return true;
  }

  #demand(want: number, slots: SlotDemand): Demand {
    const { store, syncIntervalMs } = this.#settings;
    if (!store.capabilities.slots) return { want, syncMs: this.turnMs };
    return { want, syncMs: syncIntervalMs, slots };
  }

  /** One round trip. The answer counts if it came in time: there is no newer request. */
  async #roundTrip(report: SlotReport, send: (signal: AbortSignal) => Promise<View>): Promise<View> {
    const { runtime, store, storeTimeoutMs, staleAfterMs } = this.#settings;
    const operation = report.isRegistration ? "register" : "sync";
    const sentMs = runtime.now();
    const sleeps = this.#sleep.count;
    let view: View;
    let nowMs: number;
    try {
      view = checkView(store.capabilities.name, await this.#calls.withDeadline(operation, send));
      nowMs = runtime.now();
      // After a pause, a reply may be read before the timer of its deadline runs.
      if (nowMs - sentMs > storeTimeoutMs) throw tooLate(operation, `after ${Math.round(nowMs - sentMs)} ms, too late`);
      this.noticeSleep();
      // A grant may have noticed it before the answer was read.
      if (this.#sleep.count !== sleeps) throw tooLate(operation, "while the machine was suspended");
    } catch (error) {
      throw this.#calls.failed(operation, error);
    }
    this.roundTrips.note(nowMs - sentMs);
    this.#observedMs = Math.max(this.#observedMs, view.storeTimeMs);
    // More store time went by than a member may be silent for, and the local clock did not see it: it stood still, on a
    // machine that was suspended.
    if (view.storeTimeMs - this.#heardMs >= staleAfterMs) this.#validity.end();
    if (!isMember(view)) {
      this.#share.leftOut();
      return view;
    }
    this.#heardMs = view.storeTimeMs;
    this.#sleep.settle();
    this.#joinedBefore = true;
    this.#generation = view.generation;
    this.#validity.renew(sentMs);
    const rose = this.#share.accept(view, report, nowMs);
    this.#pause.heard(view.pausedForMs ?? 0, report.pause);
    this.#host.accepted(view, nowMs, rose, report.isRegistration);
    return view;
  }
}

function tooLate(operation: string, when: string): DtError {
  return new DtError("DT_STORE_TIMEOUT", `${operation} was answered ${when}`, { effect: "unknown" });
}
