import { DtError, isDtError } from "../errors/dt-error.ts";
import type { Runtime, Timer } from "../runtime/runtime.ts";
import type { CoordinationStore, MemberRef, MemberView, View } from "../store/coordination-store.ts";
import { withDeadline } from "../store/deadline.ts";
import type { Events } from "../throttle/events.ts";
import { checkView, isMember } from "./check-view.ts";
import { Holding } from "./holding.ts";
import { StoreClock } from "./store-clock.ts";

/** After learning of a new generation, the report follows within this time (jittered) instead of a whole interval. */
const PROMPT_MS = 100;

/** What a membership needs to know; durations in milliseconds. */
export interface MembershipSettings {
  readonly store: CoordinationStore;
  readonly runtime: Runtime;
  readonly group: string;
  readonly member: MemberRef;
  readonly intervalMs: number;
  readonly syncIntervalMs: number;
  readonly validityMs: number;
  readonly staleAfterMs: number;
  readonly storeTimeoutMs: number;
  readonly clockErrorMs: number;
  readonly learningMs: number;
  readonly resumeWithinMs: number;
  /** Only for the event that says what happens when validity is lost. */
  readonly policy: "stop" | "hold" | "floor";
}

/** What a membership asks of and tells the throttle it serves. */
export interface MembershipHost {
  readonly events: Events;
  /** What is declared with every call: the configured `max` and the level now, if any. */
  declare(): { readonly max: number; readonly level: number | null };
  /** The holding, the validity or the standing changed. */
  changed(): void;
  /** Store time at which the newest epoch began that tokens may have been granted in; 0 while epochs are not the store's. */
  begunMs(): number;
  /** The first registration was answered with a level to resume. */
  resume(level: number): void;
}

type Standing = "outside" | "member" | "fenced" | "left";

/**
 * One processor's membership in a group: registers, syncs in the background, and keeps the {@link Holding} and the {@link StoreClock} that
 * follow from the answers. At most one call to the store is under way; a call that missed its deadline is forgotten, whatever it answers.
 */
export class Membership {
  readonly clock: StoreClock;
  readonly holding: Holding;
  readonly #settings: MembershipSettings;
  readonly #host: MembershipHost;
  #standing: Standing = "outside";
  #joinedBefore = false;
  #seq = 0;
  #validUntilMs = 0;
  #observedMs = 0;
  /** True when the share was past its validity as the call under way was sent. */
  #expired = false;
  #agreed = false;
  #lostAtMs: number | undefined;
  #failures = 0;
  #lastError: DtError | undefined;
  #inFlight: Promise<void> | undefined;
  #timer: Timer | undefined;
  #timerAtMs = 0;
  #unwatch: (() => void) | undefined;
  #watching = false;
  readonly #leaving = new AbortController();

  constructor(settings: MembershipSettings, host: MembershipHost) {
    this.#settings = settings;
    this.#host = host;
    this.clock = new StoreClock(settings.clockErrorMs);
    this.holding = new Holding(settings.store.capabilities.ledger);
  }

  get standing(): Standing {
    return this.#standing;
  }

  /** Local time until which the share may be used: validity counts from the sending of the last successful call, and the clock must be trusted. */
  get validUntilMs(): number {
    return Math.min(this.#validUntilMs, this.clock.trustedUntilMs);
  }

  /** Local time until which the last answer alone would be valid; what `hold` counts from. */
  get answeredUntilMs(): number {
    return this.#validUntilMs;
  }

  /** True when the last answer was `agree`. */
  get agreed(): boolean {
    return this.#agreed;
  }

  /** Why the last call failed; undefined after a success. */
  get lastError(): DtError | undefined {
    return this.#lastError;
  }

  /** Calls the store now, or joins the call under way. Resolves when the answer was acted on, rejects with why there is none. */
  syncNow(): Promise<void> {
    if (this.#standing === "left" || this.#standing === "fenced") return Promise.resolve();
    this.#inFlight ??= this.#call().finally(() => {
      this.#inFlight = undefined;
    });
    return this.#inFlight;
  }

  /** Makes the next background call come within `withinMs` (jittered), if it is not due earlier anyway. */
  syncSoon(withinMs = PROMPT_MS): void {
    if (this.#standing === "left" || this.#standing === "fenced") return;
    this.#schedule(withinMs * (0.5 + this.#settings.runtime.random() / 2));
  }

  /** Ends background calls until the next `syncNow`: after a start that failed. */
  rest(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  /** Leaves the group with the last level. Resolves also when the store does not answer: it then removes the member after the stale age. */
  async leave(): Promise<void> {
    // A first registration may have taken effect although its answer never came.
    const mayBeMember = this.#seq > 0 && this.#standing !== "fenced";
    this.#standing = "left";
    this.holding.clear();
    this.#timer?.cancel();
    this.#unwatch?.();
    this.#leaving.abort();
    await this.#inFlight?.catch(() => undefined);
    if (!mayBeMember) return;
    const { store, group, member } = this.#settings;
    const farewell = { seq: ++this.#seq, level: this.#host.declare().level, observedMs: this.#observed() };
    try {
      await this.#deadline("deregister", (signal) => store.deregister(group, member, farewell, signal));
    } catch (error) {
      this.#reportError("deregister", error);
    }
  }

  async #call(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = undefined;
    try {
      let view = this.#standing === "member" ? await this.#sync() : await this.#register();
      // The store does not know us (it removed us, or lost its data): claim our place at once.
      if (view.status === "unknown") {
        this.holding.giveUpExtras();
        this.#host.changed();
        view = await this.#register();
      }
      this.#failures = 0;
      this.#lastError = undefined;
      if (view.status === "fenced") this.#fenced();
      else this.#scheduleNext();
    } catch (error) {
      if (this.#standing === "left") return;
      this.#failures += 1;
      this.#noticeLoss();
      this.#scheduleRetry();
      throw error;
    }
  }

  async #register(): Promise<View> {
    const { store, group, member, intervalMs, staleAfterMs, learningMs, resumeWithinMs } = this.#settings;
    const rejoin = this.#joinedBefore;
    const registration = {
      ...member,
      seq: ++this.#seq,
      rejoin,
      claim: this.#validlyHeld(),
      ...this.#host.declare(),
      intervalMs,
      staleAfterMs,
      learningMs,
      resumeWithinMs,
      observedMs: this.#observed(),
    };
    this.#standing = "outside";
    const view = await this.#exchange("register", 0, (signal) => store.register(group, registration, signal));
    if (view.status === "unknown")
      throw this.#reportError(
        "register",
        new DtError("DT_STORE_REPLY", `the ${store.capabilities.name} store answered a registration with "unknown"`),
      );
    if (isMember(view)) {
      if (!rejoin && view.resumeLevel !== null && resumeWithinMs > 0) this.#host.resume(view.resumeLevel);
      this.#watch();
    }
    return view;
  }

  #sync(): Promise<View> {
    const { store, group, member } = this.#settings;
    const { generation, poolSize } = this.holding;
    const held = this.#validlyHeld();
    const report = {
      seq: ++this.#seq,
      generation,
      poolSize,
      held,
      ...this.#host.declare(),
      observedMs: this.#observed(),
    };
    return this.#exchange("sync", generation, (signal) => store.sync(group, member, report, signal));
  }

  /**
   * What is still validly in use is a fact, and reported or claimed. A share past its validity is given up: the store may have given it to others, so that
   * what it answers is a raise in full, even when it still or again knows this incarnation (by a registration that arrived late).
   */
  #validlyHeld(): number {
    this.#expired = this.#settings.runtime.now() >= this.#validUntilMs;
    return this.#expired ? 0 : this.holding.held;
  }

  /** One round trip; the answer, if it came in time, is acted on before anybody else runs. */
  async #exchange(
    operation: "register" | "sync",
    reported: number,
    send: (signal: AbortSignal) => Promise<View>,
  ): Promise<View> {
    const { runtime, store, storeTimeoutMs, validityMs, intervalMs, clockErrorMs } = this.#settings;
    const sentMs = runtime.now();
    let view: View;
    let receivedMs: number;
    try {
      view = checkView(store.capabilities.name, await this.#deadline(operation, send));
      receivedMs = runtime.now();
      // After a pause, a reply may be read before the timer of its deadline runs.
      if (receivedMs - sentMs > storeTimeoutMs)
        throw new DtError(
          "DT_STORE_TIMEOUT",
          `${operation} was answered after ${Math.round(receivedMs - sentMs)} ms, too late`,
          {
            outcome: "unknown",
          },
        );
    } catch (error) {
      throw this.#reportError(operation, error);
    }
    if (this.#standing === "left") return view;
    this.clock.observe(sentMs, receivedMs, view.storeTimeMs);
    this.#observedMs = Math.max(this.#observedMs, view.storeTimeMs);
    if (!isMember(view)) return view;
    if (this.#expired) this.holding.clear();
    this.#standing = "member";
    this.#joinedBefore = true;
    this.#validUntilMs = sentMs + validityMs;
    this.#noticeReturn();
    this.#accept(view, Math.floor((view.storeTimeMs + clockErrorMs) / intervalMs) + 1);
    if (view.status === "disagree" && view.generation !== reported) this.syncSoon();
    if (!this.clock.known) this.syncSoon();
    return view;
  }

  /**
   * The store time that what is reported presupposes. Less the clock error, so that a clock that is merely ahead within the bound does not push the
   * group's time; a millisecond more, so that rounding does not undo it: a raise answered from here on starts after the newest epoch begun here.
   */
  #observed(): number {
    return Math.max(this.#observedMs, this.#host.begunMs() - this.#settings.clockErrorMs + 1);
  }

  #accept(view: MemberView, fromEpoch: number): void {
    const { events } = this.#host;
    const { generation, poolSize, capacity } = view;
    const isNew = generation !== this.holding.generation;
    const agreed = view.status === "agree";
    const agreementChanged = agreed !== this.#agreed;
    this.#agreed = agreed;
    this.holding.accept(view, fromEpoch);
    this.#host.changed();
    if (isNew && events.has("generation")) events.emit("generation", { generation, poolSize, capacity });
    if (agreementChanged && events.has("agreement")) events.emit("agreement", { agreed, poolSize, generation });
  }

  #noticeLoss(): void {
    const { runtime, validityMs, policy } = this.#settings;
    const nowMs = runtime.now();
    if (!this.#joinedBefore || this.#lostAtMs !== undefined || nowMs < this.validUntilMs) return;
    this.#lostAtMs = nowMs;
    const silentMs = nowMs - (this.#validUntilMs - validityMs);
    this.#host.changed();
    if (this.#host.events.has("validityLost")) this.#host.events.emit("validityLost", { policy, silentMs });
  }

  #noticeReturn(): void {
    if (this.#lostAtMs === undefined) return;
    const lostMs = this.#settings.runtime.now() - this.#lostAtMs;
    this.#lostAtMs = undefined;
    if (this.#host.events.has("validityRegained")) this.#host.events.emit("validityRegained", { lostMs });
  }

  #fenced(): void {
    this.#standing = "fenced";
    this.holding.clear();
    this.#validUntilMs = 0;
    this.#timer?.cancel();
    this.#unwatch?.();
    const { store, group, member } = this.#settings;
    this.#host.changed();
    if (this.#host.events.has("fenced")) this.#host.events.emit("fenced", { processorId: member.id });
    // Nothing is in use any more: hand the old place back at once instead of letting it go stale.
    this.#deadline("deregister", (signal) =>
      store.deregister(group, member, { seq: ++this.#seq, level: null, observedMs: this.#observed() }, signal),
    ).catch((error: unknown) => this.#reportError("deregister", error));
  }

  #scheduleNext(): void {
    if (this.#standing !== "member") return;
    const { syncIntervalMs, runtime } = this.#settings;
    this.#schedule(syncIntervalMs * (0.9 + 0.1 * runtime.random()));
  }

  #scheduleRetry(): void {
    const { syncIntervalMs, runtime } = this.#settings;
    const backoffMs = Math.min(syncIntervalMs, PROMPT_MS * 2 ** Math.min(this.#failures - 1, 10));
    this.#schedule(backoffMs * (0.5 + runtime.random() / 2));
  }

  /** Arms the background timer, unless it is due earlier already. It never keeps the process alive by itself. */
  #schedule(delayMs: number): void {
    const { runtime } = this.#settings;
    const atMs = runtime.now() + delayMs;
    if (this.#timer && this.#timerAtMs <= atMs) return;
    this.#timer?.cancel();
    this.#timerAtMs = atMs;
    this.#timer = runtime.setTimer(
      () => {
        this.#timer = undefined;
        this.syncNow().catch(() => undefined);
      },
      delayMs,
      { keepAlive: false },
    );
  }

  /** Listens for hints of changes, where the store can push; the store re-establishes a subscription it loses. */
  #watch(): void {
    const { store, group } = this.#settings;
    if (!store.capabilities.push || !store.watch || this.#watching) return;
    this.#watching = true;
    // Spread over a millisecond a member, so that a large group does not call in one instant.
    const onChange = (): void => this.syncSoon(Math.min(PROMPT_MS, 5 + this.holding.poolSize));
    const watch = store.watch.bind(store);
    this.#deadline("watch", (signal) => watch(group, onChange, signal)).then(
      (unwatch) => {
        if (this.#standing === "left" || this.#standing === "fenced") unwatch();
        else this.#unwatch = unwatch;
      },
      (error: unknown) => {
        this.#watching = false;
        this.#reportError("watch", error);
      },
    );
  }

  #deadline<T>(operation: string, send: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const { runtime, store, storeTimeoutMs } = this.#settings;
    const signal = operation === "deregister" ? undefined : this.#leaving.signal;
    return withDeadline(send, {
      runtime,
      timeoutMs: storeTimeoutMs,
      what: `${store.capabilities.name} ${operation}`,
      signal,
    });
  }

  #reportError(operation: "register" | "sync" | "deregister" | "watch", cause: unknown): DtError {
    const error = isDtError(cause)
      ? cause
      : new DtError(
          "DT_STORE_UNAVAILABLE",
          `${this.#settings.store.capabilities.name} ${operation} failed: ${messageOf(cause)}`,
          {
            outcome: "unknown",
            cause,
          },
        );
    this.#lastError = error;
    if (this.#standing !== "left" || operation === "deregister") {
      if (this.#host.events.has("storeError")) this.#host.events.emit("storeError", { operation, error });
    }
    return error;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
