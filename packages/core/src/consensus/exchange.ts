import type { Farewell, MemberView, Use, View } from "../contract/coordination-store.ts";
import type { Demand } from "../contract/demand.ts";
import { DtError } from "../errors/dt-error.ts";
import { SleepWatch } from "../runtime/sleep-watch.ts";
import { checkView, isMember } from "./check-view.ts";
import { FleetPause } from "./fleet-pause.ts";
import { Holding } from "./holding.ts";
import type { MembershipHost, MembershipSettings } from "./membership-settings.ts";
import { Obstacles } from "./obstacles.ts";
import type { StoreCalls } from "./store-calls.ts";
import { StoreClock } from "./store-clock.ts";
import { PROMPT_MS } from "./sync-schedule.ts";
import { Validity } from "./validity.ts";

/** What this process is to its group. */
export type Standing = "outside" | "member" | "fenced" | "left";

/** What an answer has to be seen beside. */
interface Said {
  readonly generation: number;
  readonly claim: number;
  /** Tokens it held. */
  readonly held: number;
  /** What it used. */
  readonly use?: Use | undefined;
  /** The end of the pause that it asked for. */
  readonly pause?: number | undefined;
}

/**
 * What one member says to the store, and what follows from each answer: its standing, what it holds, how long that
 * is valid, and the store's clock. When to call, and what to do without an answer, is the {@link Membership}'s part.
 */
export class Exchange {
  readonly clock: StoreClock;
  readonly holding: Holding;
  readonly validity: Validity;
  readonly obstacles: Obstacles;
  readonly pause: FleetPause;
  standing: Standing = "outside";
  /** True when the last answer was `agree`. */
  agreed = false;
  readonly #settings: MembershipSettings;
  readonly #host: MembershipHost;
  readonly #calls: StoreCalls;
  /** Makes the next call come soon. */
  readonly #soon: (withinMs?: number) => void;
  readonly #sleep: SleepWatch;
  #joinedBefore = false;
  #seq = 0;
  #observedMs = 0;
  /** Store time of the last answer to a member: it was not removed before. */
  #heardMs = Number.POSITIVE_INFINITY;
  /** Answers in a row that were too slow to learn the store's clock from. */
  #slowAnswers = 0;

  constructor(
    settings: MembershipSettings,
    host: MembershipHost,
    calls: StoreCalls,
    soon: (withinMs?: number) => void,
  ) {
    this.#settings = settings;
    this.#host = host;
    this.#calls = calls;
    this.#soon = soon;
    this.clock = new StoreClock(settings.clockErrorMs);
    this.holding = new Holding(settings.store.capabilities.ledger);
    this.validity = new Validity(settings, host, this.clock);
    this.obstacles = new Obstacles(settings, host);
    this.pause = new FleetPause(settings.runtime, host.events, () => host.changed());
    this.#sleep = new SleepWatch(settings.runtime);
  }

  /** True once anything was said: the store may know this process, although no answer came. */
  get begun(): boolean {
    return this.#seq > 0;
  }

  /** Joins the group, or joins it again. */
  async register(): Promise<View> {
    const { store, group, member, intervalMs, staleAfterMs, learningMs, clockErrorMs, resumeWithinMs } = this.#settings;
    const { demand } = this.#host;
    if (store.setUp) await this.#calls.setUp();
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
      ...(demand && { demand: demand.declare() }),
    };
    this.standing = "outside";
    const said = { generation: 0, claim, held: claim };
    const view = await this.#roundTrip("register", said, (signal) => store.register(group, registration, signal));
    if (view.status === "unknown")
      throw this.#calls.failed(
        "register",
        new DtError("DT_STORE_REPLY", `the ${store.capabilities.name} store answered a registration with "unknown"`),
      );
    if (isMember(view) && !rejoin && view.resumeLevel !== null && resumeWithinMs > 0)
      this.#host.resume(view.resumeLevel);
    return view;
  }

  /** Heartbeat and report. */
  sync(): Promise<View> {
    return this.#report(this.#host.demand?.declare());
  }

  /**
   * Gives up what others are due, in a second report right after an answer; undefined where that is nothing. No member
   * can use these tokens before the store has taken that report in, and it is unknown whether a report without an
   * answer was taken in. So nothing is given up before the store has just answered: in an outage each member keeps what
   * it held.
   */
  giveUp(): Promise<View> | undefined {
    const { demand } = this.#host;
    if (!demand || !this.holding.lower(demand.keep())) return undefined;
    this.#host.lowered();
    return this.#report(demand.declared);
  }

  #report(demand: Demand | undefined): Promise<View> {
    const { store, runtime, group, member } = this.#settings;
    const { generation, members } = this.holding;
    const held = this.#validlyHeld();
    const nowMs = runtime.now();
    const pause = this.pause.toTell(nowMs);
    const use = this.#host.use();
    const report = {
      seq: ++this.#seq,
      generation,
      members,
      held,
      ...this.#host.declare(),
      observedMs: this.#observed(),
      ...(use && { use }),
      ...(demand && { demand }),
      activity: this.#host.activity(),
      ...(pause !== undefined && { pauseMs: pause - nowMs }),
    };
    const said = { generation, claim: 0, held, use, pause };
    return this.#roundTrip("sync", said, (signal) => store.sync(group, member, report, signal));
  }

  /** What is said at the end, with the last level. */
  farewell(level: number | null): Farewell {
    const use = this.#host.use();
    return { seq: ++this.#seq, level, observedMs: this.#observed(), ...(use && { use }) };
  }

  /** Nothing of the share is in use any more, nor claimed: the store may have given it to others. */
  endShare(): void {
    this.holding.clear();
    this.validity.end();
  }

  /**
   * Looks whether the machine was suspended, where the runtime can tell: the share then ended unseen, and the store is
   * asked at once. True when it was. Looked at before an epoch is begun and around each call; in between a machine that
   * wakes may use up the share of the epoch in which it fell asleep.
   */
  noticeSleep(): boolean {
    if (!this.#sleep.noticed()) return false;
    this.endShare();
    this.clock.distrust();
    this.#soon(0);
    this.validity.noticeLoss();
    const { events } = this.#host;
    if (events.has("stoodStill")) events.emit("stoodStill", { forMs: this.#sleep.lastMs, what: "machine" });
    return true;
  }

  /**
   * What is still validly in use is a fact, and reported or claimed. A share past its validity is given up: the store
   * may have given it to others, so that what it answers is a raise in full, even when it still or again knows this
   * incarnation (by a registration that arrived late).
   */
  #validlyHeld(): number {
    return this.#settings.runtime.now() < this.validity.answeredUntilMs ? this.holding.held : 0;
  }

  /** One round trip; the answer, if it came in time, is acted on before anybody else runs. */
  async #roundTrip(
    operation: "register" | "sync",
    said: Said,
    send: (signal: AbortSignal) => Promise<View>,
  ): Promise<View> {
    const { runtime, store, storeTimeoutMs, staleAfterMs } = this.#settings;
    const sentMs = runtime.now();
    const sleeps = this.#sleep.count;
    let view: View;
    let receivedMs: number;
    try {
      view = checkView(store.capabilities.name, await this.#calls.withDeadline(operation, send));
      receivedMs = runtime.now();
      // After a pause, a reply may be read before the timer of its deadline runs.
      if (receivedMs - sentMs > storeTimeoutMs)
        throw tooLate(operation, `after ${Math.round(receivedMs - sentMs)} ms, too late`);
      this.noticeSleep();
      // A grant may have noticed it before the answer was read.
      if (this.#sleep.count !== sleeps) throw tooLate(operation, "while the machine was suspended");
    } catch (error) {
      throw this.#calls.failed(operation, error);
    }
    if (this.standing === "left") return view;
    const jumped = this.clock.jumpedAhead(receivedMs, view.storeTimeMs);
    this.clock.observe(sentMs, receivedMs, view.storeTimeMs);
    this.#observedMs = Math.max(this.#observedMs, view.storeTimeMs);
    // More store time went by than a member may be silent for, and the local clock did not see it: it stood still, on a
    // machine that was suspended.
    if (view.storeTimeMs - this.#heardMs >= staleAfterMs) this.endShare();
    if (!isMember(view)) return view;
    this.#heardMs = view.storeTimeMs;
    this.#sleep.settle();
    // A share that ended before the answer came may have been given to others, and given back since: all that is
    // answered is a raise. But for what was claimed: the store took that for a fact which it was no more, beyond what
    // is free perhaps.
    const ended = receivedMs >= this.validity.answeredUntilMs;
    if (ended || jumped) this.holding.clear();
    this.standing = "member";
    this.#joinedBefore = true;
    this.validity.renew(sentMs);
    this.#spend(said, view);
    this.#host.demand?.heard(view, said.held);
    this.obstacles.heard(view);
    this.pause.heard(view.pausedForMs ?? 0, said.pause);
    this.#accept(ended && said.claim > 0 ? withoutClaim(view) : view);
    // What shares by demand has nothing to adopt (R25). Others wait for what this one may use no more.
    const hasNews = view.generation !== said.generation || view.entitled < view.held;
    if (view.status === "disagree" && hasNews && !view.demand) this.#soon();
    // The first answer is often slow alone, as it waits for connections. Later ones may be so because everybody asks:
    // then oftener makes it worse.
    if (this.clock.known) this.#slowAnswers = 0;
    else this.#soon(PROMPT_MS * 2 ** Math.min(this.#slowAnswers++, 10));
    return view;
  }

  /**
   * The store time that has come by what is known here: the newest that was answered, that at which the newest epoch
   * begun here starts, and what the clock says that others may go by who hear nothing either. Less the clock error, so
   * that a clock that is merely ahead within the bound does not push the group's time; of an epoch a millisecond more,
   * so that rounding does not undo it: a raise answered from here on starts after the newest epoch begun here.
   */
  #observed(): number {
    const { clockErrorMs, runtime } = this.#settings;
    const begunMs = this.#host.begunMs() - clockErrorMs + 1;
    return Math.max(this.#observedMs, begunMs, this.clock.passedMs(runtime.now()));
  }

  /**
   * What was used beyond what is held counts as spent for all. Not beyond what the store has on record: it may have
   * answered without taking the report in (R11), and counts nothing as spent then.
   */
  #spend({ use, held }: Said, view: MemberView): void {
    if (use) this.#host.spent(use, use.used - Math.max(held, view.held));
  }

  #accept(view: MemberView): void {
    const { events } = this.#host;
    const { generation, members, capacity } = view;
    const isNew = generation !== this.holding.generation;
    const agreed = view.status === "agree";
    const agreementChanged = agreed !== this.agreed;
    const { demandMembers: most = Number.POSITIVE_INFINITY } = this.#settings.store.capabilities;
    const isCrowded = this.#host.demand !== undefined && members > most && this.holding.members <= most;
    this.agreed = agreed;
    this.holding.accept(view);
    this.#host.changed();
    if (isNew && events.has("generation")) events.emit("generation", { generation, members, capacity });
    if (isCrowded && events.has("crowded")) events.emit("crowded", { members, most });
    if (agreementChanged && events.has("agreement")) events.emit("agreement", { agreed, members, generation });
  }
}

/** On agreement nobody holds what was claimed any more: the exact split is a raise like any other. */
function withoutClaim(view: MemberView): MemberView {
  return view.status === "agree" ? view : { ...view, held: 0, entitled: 0, early: 0 };
}

function tooLate(operation: string, when: string): DtError {
  return new DtError("DT_STORE_TIMEOUT", `${operation} was answered ${when}`, { effect: "unknown" });
}
