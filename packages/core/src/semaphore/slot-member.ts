import { type CallQueue, queueBefore } from "../consensus/call-queue.ts";
import { FleetPause } from "../consensus/fleet-pause.ts";
import { Hints } from "../consensus/hints.ts";
import { StoreCalls } from "../consensus/store-calls.ts";
import { PROMPT_MS } from "../consensus/sync-schedule.ts";
import type { MemberView } from "../contract/coordination-store.ts";
import type { SlotHint } from "../contract/demand.ts";
import { type DtError, isDtError } from "../errors/dt-error.ts";
import type { Events } from "../internal/events.ts";
import type { SemaphoreEvents } from "./events.ts";
import type { SemaphoreSettings } from "./settings.ts";
import { SlotExchange } from "./slot-exchange.ts";
import { SlotHints } from "./slot-hints.ts";
import { SlotSchedule } from "./slot-schedule.ts";
import { SlotShare } from "./slot-share.ts";
import { SlotValidity } from "./slot-validity.ts";

/** Grants look so often whether the machine was suspended, in milliseconds: each look is a system call. */
const SLEEP_LOOK_MS = 100;

/** A member stays for as long as its calls run, whatever else happens. */
export type SlotStanding = "outside" | "member" | "fenced" | "left";

/** What a member asks of and tells the semaphore that it serves. */
export interface SlotMemberHost {
  /** Slots that the first caller waits for; 0 where no caller waits. */
  head(): number;
  /** The store has answered to a member. */
  joined(): void;
  /** A request is sent, which says that so many slots are wanted. */
  sent(want: number): void;
  /** An answer was acted on: callers that it serves have left. */
  answered(nowMs: number): void;
  /** More may be in use than before: callers that wait are served. */
  serve(nowMs: number): void;
  /** Validity has ended: open slots are lost. */
  lost(why: string): void;
  /** A call to the store failed while no slot may be used. */
  failed(error: unknown): void;
  /** Another process has this member's id. */
  fenced(): void;
}

/**
 * One process in the group of a semaphore: its share, its requests to the store, and the hints that it gets. At most
 * one request is under way; one that missed its deadline is forgotten, whatever it answers.
 */
export class SlotMember {
  readonly share: SlotShare;
  readonly schedule: SlotSchedule;
  readonly validity: SlotValidity;
  readonly pause: FleetPause;
  standing: SlotStanding = "outside";
  /** True once another process has this member's id; it leaves when its calls have ended. */
  isFenced = false;
  /** True while the group grants no slot to anybody, by the last answer: its store may have lost data (R8). */
  isLearning = false;
  readonly #settings: SemaphoreSettings;
  readonly #host: SlotMemberHost;
  readonly #events: Events<SemaphoreEvents>;
  readonly #calls: StoreCalls;
  readonly #queue: CallQueue;
  readonly #exchange: SlotExchange;
  readonly #hints: SlotHints;
  readonly #pauseHints: Hints;
  #sleepLookMs = Number.NEGATIVE_INFINITY;
  #inFlight: Promise<void> | undefined;
  #failures = 0;
  #generation = 0;
  /** What listeners know of. */
  #heldShown = 0;
  #overShown = false;
  #maxShown: number;
  /** True once it is to leave as soon as nothing runs. */
  #isLeaving = false;

  constructor(settings: SemaphoreSettings, events: Events<SemaphoreEvents>, host: SlotMemberHost) {
    const { store, stored, runtime, max, syncIntervalMs, group, memberId: id, incarnation } = settings;
    this.#settings = settings;
    this.#maxShown = max;
    this.#host = host;
    this.#events = events;
    this.#calls = new StoreCalls(settings, events);
    this.#queue = queueBefore(store);
    const hasQueue = store.capabilities.slots === true;
    const isPushed = (): boolean => this.#hints.isListening;
    const turnMs = (): number => this.#exchange.turnMs;
    this.share = new SlotShare({ max, stored, hasQueue, head: () => host.head(), isPushed, turnMs });
    this.schedule = new SlotSchedule({ runtime, syncIntervalMs, hasQueue, isPushed, turnMs }, this.share, () => {
      // Failures are told by the calls.
      this.syncNow().catch(() => undefined);
    });
    this.validity = new SlotValidity(settings, this.share, events, (why) =>
      host.lost(this.isFenced ? "another process has its memberId" : why),
    );
    this.pause = new FleetPause(runtime, events, () => {
      this.share.pausedUntilMs = this.pause.untilMs;
      host.serve(runtime.now());
    });
    this.#exchange = new SlotExchange(settings, this.#calls, this.share, this.validity, this.pause, {
      head: () => host.head(),
      sent: (nowMs, want) => {
        this.schedule.sent(nowMs, want);
        host.sent(want);
        this.#show();
      },
      accepted: (view, nowMs, rose, isRegistration) => this.#accepted(view, nowMs, rose, isRegistration),
      stoodStill: (forMs) => {
        this.schedule.soon(0);
        if (events.has("stoodStill")) events.emit("stoodStill", { forMs, what: "machine" });
      },
    });
    this.#hints = new SlotHints(
      { store, runtime, group, member: { id, incarnation } },
      this.#calls,
      (hint) => this.#hinted(hint),
      (afterMs) => this.schedule.soon(afterMs),
    );
    this.#pauseHints = new Hints({ store, runtime, group, syncIntervalMs, pausesOnly: true }, this.#calls, (afterMs) =>
      this.schedule.soon(afterMs),
    );
  }

  /** True while it waits in the store's queue, as far as it knows. */
  get isQueued(): boolean {
    return this.standing === "member" && this.schedule.isQueued;
  }

  /** Why the last call failed; undefined after a success. */
  get lastError(): DtError | undefined {
    return this.#calls.lastError;
  }

  /**
   * Calls the store now, or joins the call under way. Resolves when the answer was acted on, rejects with why there is
   * none.
   */
  syncNow(): Promise<void> {
    if (this.standing === "left" || this.standing === "fenced") return Promise.resolve();
    this.noticeSleep();
    this.#inFlight ??= this.#syncInOrder().finally(() => {
      this.#inFlight = undefined;
      this.#pauseHints.again();
      this.schedule.ended();
    });
    return this.#inFlight;
  }

  /** Ends requests in the background until the next `syncNow`: after a start that failed. */
  rest(): void {
    this.schedule.rest();
  }

  /** Looks whether the machine was suspended: open slots are lost then. */
  noticeSleep(): boolean {
    return this.#exchange.noticeSleep();
  }

  /** The same for grants, of which there are many. */
  lookForSleep(nowMs: number): void {
    if (nowMs < this.#sleepLookMs) return;
    this.#sleepLookMs = nowMs + SLEEP_LOOK_MS;
    this.noticeSleep();
  }

  /** No member of the fleet is to begin a call for so long (R35): this one from now on, the others once they know. */
  pauseFor(ms: number): void {
    const afterMs = this.pause.ask(ms) ? 0 : PROMPT_MS;
    if (this.share.isMember) this.schedule.soon(afterMs);
  }

  /** Slots were released. */
  released(nowMs: number): void {
    if (this.#hasLeft()) return;
    if (this.share.inUse === 0 && (this.#isLeaving || this.standing === "fenced")) void this.#farewell();
    else this.schedule.tidy(nowMs);
  }

  /**
   * Leaves the group once nothing runs any more; until then what runs is reported and claimed. True when the store has
   * recorded that this process left, or there was no group to leave. False while calls run, and when the store did not
   * answer: it then removes the member after the stale age.
   */
  async leave(): Promise<boolean> {
    if (this.standing === "left") return true;
    if (this.share.inUse === 0) return this.#farewell();
    this.#isLeaving = true;
    this.#endHints();
    this.schedule.soon(0);
    return false;
  }

  /** What is said to the store is only known once the queue before it is passed. */
  async #syncInOrder(): Promise<void> {
    const admitted = this.#queue.enter();
    if (admitted) await admitted;
    try {
      if (!this.#hasLeft()) await this.#call();
    } finally {
      this.#queue.leave();
    }
  }

  #hasLeft(): boolean {
    return this.standing === "left";
  }

  async #call(): Promise<void> {
    this.#pauseHints.heeded();
    try {
      let view = this.share.isMember ? await this.#exchange.sync() : await this.#exchange.register();
      // The store does not know us: it removed us, or lost its data. What runs is claimed at once.
      if (view.status === "unknown" && !this.#hasLeft()) {
        const { silentMs } = this.validity;
        if (this.#events.has("forgotten")) this.#events.emit("forgotten", { silentMs });
        view = await this.#exchange.register();
        const { held } = this.share;
        if (view.status !== "fenced" && this.#events.has("rejoined")) this.#events.emit("rejoined", { held });
      }
      if (this.#hasLeft()) return;
      this.#failures = 0;
      this.#calls.succeeded();
      if (view.status === "fenced") this.#fenced();
      else this.#hints.listen();
    } catch (error) {
      if (this.#hasLeft()) return;
      this.#failures += 1;
      const nowMs = this.#settings.runtime.now();
      this.validity.look(nowMs);
      // The program is done with the store: the row goes stale.
      if (this.#isLeaving && isDtError(error, "DT_STORE_CLOSED")) return this.#end();
      this.schedule.failed(this.#failures);
      if (!this.share.isValid(nowMs)) this.#host.failed(error);
      throw error;
    }
  }

  #accepted(view: MemberView, nowMs: number, rose: boolean, isRegistration: boolean): void {
    if (this.#hasLeft()) return;
    this.standing = "member";
    this.isLearning = view.learning;
    const { generation, members, capacity } = view;
    const isNew = generation !== this.#generation;
    this.#generation = generation;
    this.#host.joined();
    this.#host.serve(nowMs);
    this.#host.answered(nowMs);
    this.schedule.answered(nowMs, rose, isRegistration, view.demand?.slots);
    if (this.pause.toTell(nowMs) !== undefined) this.schedule.soon(0);
    if (this.pause.isKnown) this.#pauseHints.listen();
    this.#show();
    if (isNew && this.#events.has("generation")) this.#events.emit("generation", { generation, members, capacity });
  }

  #hinted(hint: SlotHint): void {
    const nowMs = this.#settings.runtime.now();
    if (hint.kind === "ask") {
      if (!this.share.isMember) return;
      this.share.ask(hint);
      this.schedule.tidy(nowMs);
    } else if (this.share.offer(hint, this.#exchange.seq, nowMs)) {
      this.#host.serve(nowMs);
      this.schedule.raised(nowMs);
      this.#show();
    }
  }

  /** Tells listeners of what has changed. */
  #show(): void {
    const { held, inUse, over, capacity, max } = this.share;
    const from = this.#maxShown;
    this.#maxShown = max;
    if (this.#settings.stored && from !== max && this.#events.has("limitChanged"))
      this.#events.emit("limitChanged", { from, to: max });
    if (held !== this.#heldShown) {
      this.#heldShown = held;
      if (this.#events.has("held")) this.#events.emit("held", { held, inUse });
    }
    if (over !== this.#overShown) {
      this.#overShown = over;
      if (this.#events.has("over")) this.#events.emit("over", { over, capacity });
    }
  }

  /** It begins nothing more, and stays only while calls run. */
  #fenced(): void {
    this.standing = "fenced";
    this.isFenced = true;
    this.schedule.end();
    this.#endHints();
    this.#host.fenced();
    if (this.#events.has("fenced")) this.#events.emit("fenced", { memberId: this.#settings.memberId });
    if (this.share.inUse === 0) void this.#farewell();
  }

  #endHints(): void {
    this.#hints.end();
    this.#pauseHints.end();
  }

  #end(): void {
    this.standing = "left";
    this.share.isMember = false;
    this.share.held = this.share.inUse;
    this.schedule.end();
    this.#endHints();
    this.validity.cancel();
  }

  async #farewell(): Promise<boolean> {
    // A registration may have taken effect although its answer never came.
    const mayBeMember = this.#exchange.seq > 0;
    const isRegistering = !this.share.isMember;
    this.#end();
    this.#calls.abortSetUp();
    // A registration under way might reach the store after the farewell, and leave a ghost that holds slots. Any other
    // request is given up.
    if (!isRegistering) this.#calls.abort();
    await this.#inFlight?.catch(() => undefined);
    this.#calls.abort();
    if (!mayBeMember) return true;
    const { store, group, memberId: id, incarnation } = this.#settings;
    const farewell = this.#exchange.farewell();
    await this.#queue.enter();
    try {
      await this.#calls.withDeadline("deregister", (signal) =>
        store.deregister(group, { id, incarnation }, farewell, signal),
      );
      return true;
    } catch (error) {
      this.#calls.failed("deregister", error);
      return false;
    } finally {
      this.#queue.leave();
    }
  }
}
