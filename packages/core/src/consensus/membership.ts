import type { View } from "../contract/coordination-store.ts";
import type { DtError } from "../errors/dt-error.ts";
import { type CallQueue, queueBefore } from "./call-queue.ts";
import { isMember } from "./check-view.ts";
import { Exchange, type Standing } from "./exchange.ts";
import type { FleetPause } from "./fleet-pause.ts";
import { Hints } from "./hints.ts";
import type { Holding } from "./holding.ts";
import type { MembershipHost, MembershipSettings } from "./membership-settings.ts";
import type { Obstacles } from "./obstacles.ts";
import { StoreCalls } from "./store-calls.ts";
import type { StoreClock } from "./store-clock.ts";
import { PROMPT_MS, SyncSchedule } from "./sync-schedule.ts";

/**
 * One member's membership in a group: when it calls the store, and what happens without an answer. What is said, and
 * what follows from the answers, is the {@link Exchange}'s part. At most one call to the store is under way; a call
 * that missed its deadline is forgotten, whatever it answers.
 */
export class Membership {
  readonly clock: StoreClock;
  readonly holding: Holding;
  readonly obstacles: Obstacles;
  readonly #settings: MembershipSettings;
  readonly #host: MembershipHost;
  readonly #calls: StoreCalls;
  readonly #queue: CallQueue;
  readonly #exchange: Exchange;
  readonly #schedule: SyncSchedule;
  readonly #hints: Hints;
  #failures = 0;
  #inFlight: Promise<void> | undefined;

  constructor(settings: MembershipSettings, host: MembershipHost) {
    this.#settings = settings;
    this.#host = host;
    this.#calls = new StoreCalls(settings, host.events);
    this.#queue = queueBefore(settings.store);
    this.#exchange = new Exchange(settings, host, this.#calls, (withinMs) => this.syncSoon(withinMs));
    this.clock = this.#exchange.clock;
    this.holding = this.#exchange.holding;
    this.obstacles = this.#exchange.obstacles;
    this.#schedule = new SyncSchedule(
      settings,
      () => this.syncNow(),
      (forMs) => {
        if (host.events.has("stoodStill")) host.events.emit("stoodStill", { forMs, what: "process" });
      },
    );
    // Spread over a millisecond a member, so that a large group does not call in one instant.
    // One that shares by demand listens for pauses alone, from the first one on: to listen costs a connection.
    this.#hints = new Hints({ ...settings, pausesOnly: host.demand !== undefined }, this.#calls, (afterMs) =>
      this.syncSoon(Math.min(PROMPT_MS, 5 + this.holding.members), afterMs),
    );
  }

  get standing(): Standing {
    return this.#exchange.standing;
  }

  /**
   * Local time until which the share may be used: validity counts from the sending of the last successful call, and the
   * clock must be trusted.
   */
  get validUntilMs(): number {
    return this.#exchange.validity.untilMs;
  }

  /** Local time until which the last answer alone would be valid; what `hold` counts from. */
  get answeredUntilMs(): number {
    return this.#exchange.validity.answeredUntilMs;
  }

  /** The pause of the fleet, as far as it is known here. */
  get pause(): FleetPause {
    return this.#exchange.pause;
  }

  /** True when the last answer was `agree`. */
  get agreed(): boolean {
    return this.#exchange.agreed;
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
    if (this.#exchange.standing === "left" || this.#exchange.standing === "fenced") return Promise.resolve();
    // Whoever is told of it may ask for the same call.
    this.noticeSleep();
    this.#inFlight ??= this.#syncInOrder().finally(() => {
      this.#inFlight = undefined;
      this.#hints.again();
    });
    return this.#inFlight;
  }

  /**
   * Makes the next background call come within `withinMs` (jittered) after `afterMs`, if it is not due earlier anyway.
   */
  syncSoon(withinMs: number = PROMPT_MS, afterMs: number = 0): void {
    if (this.#exchange.standing === "left" || this.#exchange.standing === "fenced") return;
    this.#schedule.soon(withinMs, afterMs);
  }

  /** No member of the fleet is to grant anything for so long (R35): this one from now on, the others once they know. */
  pauseFor(ms: number): void {
    const withinMs = this.pause.ask(ms) ? 0 : PROMPT_MS;
    // Otherwise the first answer is followed by a report of it.
    if (this.#exchange.standing === "member") this.syncSoon(withinMs);
  }

  /** Looks whether the machine was suspended: see {@link Exchange.noticeSleep}. */
  noticeSleep(): boolean {
    return this.#exchange.noticeSleep();
  }

  /** Ends background calls until the next `syncNow`: after a start that failed. */
  rest(): void {
    this.#schedule.cancel();
  }

  /**
   * Leaves the group with the last level. Resolves to false when the store did not answer: it then removes the member
   * after the stale age. True when it did, and when there was no group to leave.
   */
  async leave(): Promise<boolean> {
    // A first registration may have taken effect although its answer never came.
    const mayBeMember = this.#exchange.begun && this.#exchange.standing !== "fenced";
    const registering = this.#exchange.standing === "outside";
    this.#exchange.standing = "left";
    this.holding.clear();
    this.#schedule.cancel();
    this.#hints.end();
    this.obstacles.end();
    this.#calls.abortSetUp();
    // A registration under way might reach the store after the farewell, and leave a ghost that holds a share. Any
    // other call is given up.
    if (!registering) this.#calls.abort();
    await this.#inFlight?.catch(() => undefined);
    this.#calls.abort();
    if (!mayBeMember) return true;
    const { store, group, member } = this.#settings;
    await this.#queue.enter();
    let answered = false;
    const farewell = this.#exchange.farewell(this.#host.declare().level);
    try {
      await this.#calls.withDeadline("deregister", (signal) => store.deregister(group, member, farewell, signal));
      answered = true;
    } catch (error) {
      this.#calls.failed("deregister", error);
    } finally {
      this.#queue.leave();
    }
    return answered;
  }

  /** What is said to the store is only known once the queue is passed: a share may end while it waits. */
  async #syncInOrder(): Promise<void> {
    const admitted = this.#queue.enter();
    if (admitted) await admitted;
    try {
      if (this.#exchange.standing !== "left") await this.#call();
    } finally {
      this.#queue.leave();
    }
  }

  #hasLeft(): boolean {
    return this.#exchange.standing === "left";
  }

  async #call(): Promise<void> {
    this.#schedule.cancel();
    this.#hints.heeded();
    try {
      let view = this.#exchange.standing === "member" ? await this.#exchange.sync() : await this.#register();
      if (isMember(view) && !this.#hasLeft()) view = (await this.#exchange.giveUp()) ?? view;
      // The store does not know us (it removed us, or lost its data): claim our place at once.
      if (view.status === "unknown" && !this.#hasLeft()) {
        const { events } = this.#host;
        const { silentMs } = this.#exchange.validity;
        if (events.has("forgotten")) events.emit("forgotten", { silentMs });
        this.holding.giveUpExtras();
        this.#host.changed();
        view = await this.#register();
        if (isMember(view) && events.has("rejoined")) events.emit("rejoined", { held: this.holding.held });
      }
      if (this.#hasLeft()) return;
      this.#failures = 0;
      this.#calls.succeeded();
      if (view.status === "fenced") this.#fenced();
      else if (this.#exchange.standing === "member") this.#answered();
    } catch (error) {
      if (this.#exchange.standing === "left") return;
      this.#failures += 1;
      this.#exchange.validity.noticeLoss();
      this.#schedule.retry(this.#failures);
      throw error;
    }
  }

  #answered(): void {
    this.#schedule.next();
    // Asked for while the call was under way, or before there was a member to ask.
    if (this.pause.toTell(this.#settings.runtime.now()) !== undefined) this.#schedule.soon(0);
    if (this.pause.isKnown) this.#hints.listen();
  }

  async #register(): Promise<View> {
    const view = await this.#exchange.register();
    // Whoever shares by demand asks when it needs to: somebody else's coming or going is no news to it.
    if (isMember(view) && !this.#host.demand) this.#hints.listen();
    return view;
  }

  #fenced(): void {
    this.#exchange.standing = "fenced";
    this.#exchange.endShare();
    this.#schedule.cancel();
    this.#hints.end();
    const { store, group, member } = this.#settings;
    this.#host.changed();
    if (this.#host.events.has("fenced")) this.#host.events.emit("fenced", { memberId: member.id });
    // Nothing is in use any more: hand the old place back at once instead of letting it go stale.
    this.#calls
      .withDeadline("deregister", (signal) => store.deregister(group, member, this.#exchange.farewell(null), signal))
      .catch((error: unknown) => this.#calls.failed("deregister", error));
  }
}
