import type { MemberView, View } from "../contract/coordination-store.ts";
import { DtError } from "../errors/dt-error.ts";
import { SleepWatch } from "../runtime/sleep-watch.ts";
import { type CallLine, lineBefore } from "./call-line.ts";
import { checkView, isMember } from "./check-view.ts";
import { Hints } from "./hints.ts";
import { Holding } from "./holding.ts";
import type { MembershipHost, MembershipSettings } from "./membership-settings.ts";
import { StoreCalls } from "./store-calls.ts";
import { StoreClock } from "./store-clock.ts";
import { PROMPT_MS, SyncSchedule } from "./sync-schedule.ts";
import { Validity } from "./validity.ts";

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
  readonly #calls: StoreCalls;
  readonly #line: CallLine;
  readonly #validity: Validity;
  readonly #schedule: SyncSchedule;
  readonly #hints: Hints;
  readonly #sleep: SleepWatch;
  #standing: Standing = "outside";
  #joinedBefore = false;
  #seq = 0;
  #observedMs = 0;
  /** Store time of the last answer to a member: it was not removed before. */
  #heardMs = Number.POSITIVE_INFINITY;
  #agreed = false;
  #failures = 0;
  /** Answers in a row that were too slow to learn the store's clock from. */
  #slowAnswers = 0;
  #inFlight: Promise<void> | undefined;

  constructor(settings: MembershipSettings, host: MembershipHost) {
    this.#settings = settings;
    this.#host = host;
    this.clock = new StoreClock(settings.clockErrorMs);
    this.holding = new Holding(settings.store.capabilities.ledger);
    this.#calls = new StoreCalls(settings, host.events);
    this.#line = lineBefore(settings.store);
    this.#validity = new Validity(settings, host, this.clock);
    this.#sleep = new SleepWatch(settings.runtime);
    this.#schedule = new SyncSchedule(settings, () => this.syncNow());
    // Spread over a millisecond a member, so that a large group does not call in one instant.
    this.#hints = new Hints(settings, this.#calls, (afterMs) =>
      this.syncSoon(Math.min(PROMPT_MS, 5 + this.holding.poolSize), afterMs),
    );
  }

  get standing(): Standing {
    return this.#standing;
  }

  /** How many calls stores of this kind have answered to this process. */
  get answersOfStore(): number {
    return this.#line.answers;
  }

  /** Local time until which the share may be used: validity counts from the sending of the last successful call, and the clock must be trusted. */
  get validUntilMs(): number {
    return this.#validity.untilMs;
  }

  /** Local time until which the last answer alone would be valid; what `hold` counts from. */
  get answeredUntilMs(): number {
    return this.#validity.answeredUntilMs;
  }

  /** True when the last answer was `agree`. */
  get agreed(): boolean {
    return this.#agreed;
  }

  /** Why the last call failed; undefined after a success. */
  get lastError(): DtError | undefined {
    return this.#calls.lastError;
  }

  /** Calls the store now, or joins the call under way. Resolves when the answer was acted on, rejects with why there is none. */
  syncNow(): Promise<void> {
    if (this.#standing === "left" || this.#standing === "fenced") return Promise.resolve();
    // Whoever is told of it may ask for the same call.
    this.noticeSleep();
    this.#inFlight ??= this.#takeTurn().finally(() => {
      this.#inFlight = undefined;
      this.#hints.again();
    });
    return this.#inFlight;
  }

  /** Makes the next background call come within `withinMs` (jittered) after `afterMs`, if it is not due earlier anyway. */
  syncSoon(withinMs = PROMPT_MS, afterMs = 0): void {
    if (this.#standing === "left" || this.#standing === "fenced") return;
    this.#schedule.soon(withinMs, afterMs);
  }

  /**
   * Looks whether the machine was suspended, where the runtime can tell: the share then ended unseen, and the store is asked at once. True when it was. Looked at before
   * an epoch is begun and around each call; in between a machine that wakes may use up the share of the epoch in which it fell asleep.
   */
  noticeSleep(): boolean {
    if (!this.#sleep.noticed()) return false;
    this.#endShare();
    this.clock.distrust();
    this.syncSoon(0);
    this.#validity.noticeLoss();
    return true;
  }

  /** Ends background calls until the next `syncNow`: after a start that failed. */
  rest(): void {
    this.#schedule.cancel();
  }

  /** Leaves the group with the last level. Resolves also when the store does not answer: it then removes the member after the stale age. */
  async leave(): Promise<void> {
    // A first registration may have taken effect although its answer never came.
    const mayBeMember = this.#seq > 0 && this.#standing !== "fenced";
    const registering = this.#standing === "outside";
    this.#standing = "left";
    this.holding.clear();
    this.#schedule.cancel();
    this.#hints.end();
    // A registration under way might reach the store after the farewell, and leave a ghost that holds a share. Any other call is given up.
    if (!registering) this.#calls.abort();
    await this.#inFlight?.catch(() => undefined);
    this.#calls.abort();
    if (!mayBeMember) return;
    const { store, group, member } = this.#settings;
    await this.#line.enter();
    let answered = false;
    const farewell = { seq: ++this.#seq, level: this.#host.declare().level, observedMs: this.#observed() };
    try {
      await this.#calls.withDeadline("deregister", (signal) => store.deregister(group, member, farewell, signal));
      answered = true;
    } catch (error) {
      this.#calls.failed("deregister", error);
    } finally {
      this.#line.leave(answered);
    }
  }

  /** What is said to the store is only known when the turn has come: a share may end while it waits. */
  async #takeTurn(): Promise<void> {
    const turn = this.#line.enter();
    if (turn) await turn;
    let answered = false;
    try {
      if (this.#standing !== "left") {
        await this.#call();
        answered = true;
      }
    } finally {
      this.#line.leave(answered);
    }
  }

  #hasLeft(): boolean {
    return this.#standing === "left";
  }

  async #call(): Promise<void> {
    this.#schedule.cancel();
    this.#hints.heeded();
    try {
      let view = this.#standing === "member" ? await this.#sync() : await this.#register();
      // The store does not know us (it removed us, or lost its data): claim our place at once.
      if (view.status === "unknown" && !this.#hasLeft()) {
        this.holding.giveUpExtras();
        this.#host.changed();
        view = await this.#register();
      }
      if (this.#hasLeft()) return;
      this.#failures = 0;
      this.#calls.succeeded();
      if (view.status === "fenced") this.#fenced();
      else if (this.#standing === "member") this.#schedule.next();
    } catch (error) {
      if (this.#standing === "left") return;
      this.#failures += 1;
      this.#validity.noticeLoss();
      this.#schedule.retry(this.#failures);
      throw error;
    }
  }

  async #register(): Promise<View> {
    const { store, group, member, intervalMs, staleAfterMs, learningMs, clockErrorMs, resumeWithinMs } = this.#settings;
    const rejoin = this.#joinedBefore;
    const claim = this.#validlyHeld();
    const registration = {
      ...member,
      seq: ++this.#seq,
      rejoin,
      claim,
      ...this.#host.declare(),
      intervalMs,
      staleAfterMs,
      learningMs,
      clockErrorMs,
      resumeWithinMs,
      observedMs: this.#observed(),
    };
    this.#standing = "outside";
    const said = { generation: 0, claim };
    const view = await this.#exchange("register", said, (signal) => store.register(group, registration, signal));
    if (view.status === "unknown")
      throw this.#calls.failed(
        "register",
        new DtError("DT_STORE_REPLY", `the ${store.capabilities.name} store answered a registration with "unknown"`),
      );
    if (isMember(view)) {
      if (!rejoin && view.resumeLevel !== null && resumeWithinMs > 0) this.#host.resume(view.resumeLevel);
      this.#hints.listen();
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
    return this.#exchange("sync", { generation, claim: 0 }, (signal) => store.sync(group, member, report, signal));
  }

  /**
   * What is still validly in use is a fact, and reported or claimed. A share past its validity is given up: the store may have given it to others, so that
   * what it answers is a raise in full, even when it still or again knows this incarnation (by a registration that arrived late).
   */
  #validlyHeld(): number {
    return this.#settings.runtime.now() < this.#validity.answeredUntilMs ? this.holding.held : 0;
  }

  /** One round trip; the answer, if it came in time, is acted on before anybody else runs. */
  async #exchange(
    operation: "register" | "sync",
    said: { readonly generation: number; readonly claim: number },
    send: (signal: AbortSignal) => Promise<View>,
  ): Promise<View> {
    const { runtime, store, storeTimeoutMs, staleAfterMs, intervalMs, clockErrorMs } = this.#settings;
    const sentMs = runtime.now();
    let view: View;
    let receivedMs: number;
    try {
      view = checkView(store.capabilities.name, await this.#calls.withDeadline(operation, send));
      receivedMs = runtime.now();
      // After a pause, a reply may be read before the timer of its deadline runs.
      if (receivedMs - sentMs > storeTimeoutMs)
        throw tooLate(operation, `after ${Math.round(receivedMs - sentMs)} ms, too late`);
      if (this.noticeSleep()) throw tooLate(operation, "while the machine was suspended");
    } catch (error) {
      throw this.#calls.failed(operation, error);
    }
    if (this.#standing === "left") return view;
    this.clock.observe(sentMs, receivedMs, view.storeTimeMs);
    this.#observedMs = Math.max(this.#observedMs, view.storeTimeMs);
    // More store time went by than a member may be silent for, and the local clock did not see it: it stood still, on a machine that was suspended.
    if (view.storeTimeMs - this.#heardMs >= staleAfterMs) this.#endShare();
    if (!isMember(view)) return view;
    this.#heardMs = view.storeTimeMs;
    this.#sleep.settle();
    // A share that ended before the answer came may have been given to others, and given back since: all that is answered is a raise. But for what was claimed: the store
    // took that for a fact which it was no more, beyond what is free perhaps.
    const ended = receivedMs >= this.#validity.answeredUntilMs;
    if (ended) this.holding.clear();
    this.#standing = "member";
    this.#joinedBefore = true;
    this.#validity.renew(sentMs);
    const taken = ended && said.claim > 0 ? { ...view, held: 0 } : view;
    // Whoever used these tokens before may have been ahead of the store by more than this member may.
    const aheadMs = Math.max(clockErrorMs, view.clockErrorMs);
    this.#accept(taken, Math.floor((view.storeTimeMs + aheadMs) / intervalMs) + 1);
    if (view.status === "disagree" && view.generation !== said.generation) this.syncSoon();
    // The first answer is often slow alone, as it waits for connections. Later ones may be so because everybody asks: then oftener makes it worse.
    if (this.clock.known) this.#slowAnswers = 0;
    else this.syncSoon(PROMPT_MS * 2 ** Math.min(this.#slowAnswers++, 10));
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

  /** Nothing of the share is in use any more, nor claimed: the store may have given it to others. */
  #endShare(): void {
    this.holding.clear();
    this.#validity.end();
  }

  #fenced(): void {
    this.#standing = "fenced";
    this.#endShare();
    this.#schedule.cancel();
    this.#hints.end();
    const { store, group, member } = this.#settings;
    this.#host.changed();
    if (this.#host.events.has("fenced")) this.#host.events.emit("fenced", { processorId: member.id });
    // Nothing is in use any more: hand the old place back at once instead of letting it go stale.
    this.#calls
      .withDeadline("deregister", (signal) =>
        store.deregister(group, member, { seq: ++this.#seq, level: null, observedMs: this.#observed() }, signal),
      )
      .catch((error: unknown) => this.#calls.failed("deregister", error));
  }
}

function tooLate(operation: string, when: string): DtError {
  return new DtError("DT_STORE_TIMEOUT", `${operation} was answered ${when}`, { effect: "unknown" });
}
