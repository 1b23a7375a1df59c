import { type BucketLimit, type DtError, randomId } from "@dt/core";
import type { TimedAnswer } from "@dt/core/internal";
import { slotLost, type Whose } from "./errors.ts";
import { type HandKey, KeyHand } from "./key-hand.ts";
import type { Asked, KeyHome } from "./key-home.ts";
import { type KeyAsks, KeyQueue } from "./key-queue.ts";
import { Knowledge } from "./knowledge.ts";
import { type Lease, Leases, SLOT_MS } from "./leases.ts";
import { fresh, type Outcome, type Refused, type Standing, type Taken } from "./outcome.ts";

/** A key that was not used for so long is forgotten, in milliseconds. */
const IDLE_MS = 2_000;
/** Units of a call that waits for the answer of a parent stay its own for so long, in milliseconds. */
const TICKET_MS = 2_500;

/**
 * What this process keeps of one key while it is used. A cold key asks the store for each call by itself. A hot one
 * decides by its {@link KeyHand}, unless its calls need slots, which only the store has.
 */
export class ActiveKey implements Whose, KeyAsks, HandKey {
  readonly name: string;
  readonly key: string;
  readonly #home: KeyHome;
  readonly #knowledge = new Knowledge();
  readonly #hand: KeyHand;
  #given: BucketLimit | undefined;
  #lastUseMs = 0;
  /** Requests that are not answered. */
  #underWay = 0;
  /** Callers wait since units of calls that wait for the parent are in hand. */
  #isOpenInWay = false;
  /** Grows with each reset: an answer to a request of before tells nothing of what is now. */
  #resets = 0;
  #leases: Leases | undefined;
  #queue: KeyQueue | undefined;

  constructor(home: KeyHome, key: string) {
    this.name = home.settings.name;
    this.key = key;
    this.#home = home;
    this.#hand = new KeyHand(home, this, this.#knowledge);
  }

  get waiting(): number {
    return this.#queue?.size ?? 0;
  }

  get inUse(): number {
    return this.#leases?.size ?? 0;
  }

  get inHand(): number {
    return this.#hand.units(this.#nowMs);
  }

  /** The limit that this process gives for it; the last one where the function that gives it throws. */
  get limit(): BucketLimit {
    try {
      this.#given = this.#home.limitOf(this.key);
    } catch (error) {
      // Calls are told of it. What they have taken goes back all the same.
      if (this.#given === undefined) throw error;
    }
    return this.#given;
  }

  get hasParent(): boolean {
    return this.#home.settings.parentOf(this.key) !== undefined;
  }

  /** The limit in force, as of the last answer. */
  get limitInForce(): BucketLimit | undefined {
    return this.#knowledge.limit;
  }

  /** Those who wait; a call that is about to wait counts as asked for. */
  waitsFor(cost: number): KeyQueue {
    this.#used(cost);
    this.#queue ??= new KeyQueue(this.#home, this);
    return this.#queue;
  }

  get queue(): KeyQueue | undefined {
    return this.#queue;
  }

  /** Decides a call that does not wait: at once where it can, and otherwise by asking the store. */
  decide(cost: number, limit: BucketLimit): Outcome | Promise<Outcome> {
    const nowMs = this.#used(cost);
    this.#given = limit;
    if (this.waiting > 0) return this.#refusedHere("waiting", this.#queue?.restMs ?? this.#knowledge.everyMs);
    const { concurrent } = this.#knowledge.limit ?? limit;
    if (concurrent === undefined && this.#hand.isUsed(nowMs)) return this.#decideHot(cost, nowMs);
    const deniedForMs = this.#knowledge.deniedForMs(cost, nowMs);
    if (deniedForMs > 0) return this.#refusedHere("rate", deniedForMs);
    if (concurrent !== undefined && this.inUse >= concurrent)
      return this.#refusedHere("concurrent", this.#home.retryMs);
    return this.ask(cost, limit);
  }

  #decideHot(cost: number, nowMs: number): Outcome | Promise<Outcome> {
    const taken = this.#hand.take(cost, nowMs);
    if (taken) {
      this.#home.counts.local += 1;
      this.#hand.lookAhead(nowMs);
      return taken;
    }
    const restMs = this.#hand.restMs(cost, nowMs) ?? this.#knowledge.deniedForMs(cost, nowMs);
    if (restMs === 0) return this.#askHot(cost);
    this.#hand.lookAhead(nowMs);
    return this.#refusedHere("rate", restMs);
  }

  async #askHot(cost: number): Promise<Outcome> {
    const decided = await this.#hand.ask(cost);
    return "allowed" in decided ? decided : this.#refused("rate", decided.retryAfterMs);
  }

  /** A call that waits: what it needs, or how long that takes. */
  async obtain(cost: number, maxWaitMs: number, behind: number): Promise<Outcome> {
    // Callers that wait may outlast a limit that is stored for all keys.
    await this.#home.upToDate();
    const { limit } = this;
    if ((this.#knowledge.limit ?? limit).concurrent !== undefined) return this.ask(cost, limit);
    const taken = this.#hand.take(cost, this.#nowMs);
    if (taken) return taken;
    const { retryAfterMs } = await this.#hand.reserve(cost, maxWaitMs, behind);
    this.#isOpenInWay = this.#hand.isOpen;
    return this.#hand.take(cost, this.#nowMs) ?? this.#refused("rate", retryAfterMs);
  }

  /**
   * A call that waited for the parent goes on. Its units took up room until now: the next caller may have to wait for
   * less.
   */
  wentOn(): void {
    if (!this.#isOpenInWay || this.waiting === 0) return;
    this.#isOpenInWay = false;
    this.#queue?.serve();
  }

  /** What a call needs whose units have lapsed while it waited for the parent: at once, or not. */
  retake(cost: number, limit: BucketLimit): Outcome | Promise<Outcome> {
    const needsSlot = (this.#knowledge.limit ?? limit).concurrent !== undefined;
    return (needsSlot ? undefined : this.#hand.take(cost, this.#nowMs)) ?? this.ask(cost, limit);
  }

  /** Nobody waits any more: units that were taken for those who left go back. */
  served(): void {
    if (!this.#hand.isIdle) this.#home.flushSoon(this);
  }

  /** Asks the store for this call alone. */
  async ask(cost: number, limit: BucketLimit): Promise<Outcome> {
    const { runtime } = this.#home.settings;
    const id = randomId(runtime);
    const { hasParent } = this;
    // A limit that lives in the store may have what the code's has not.
    const mayNeedSlot = limit.concurrent !== undefined || this.#home.settings.stored;
    const slot = mayNeedSlot ? { id, forMs: SLOT_MS } : undefined;
    const asked = {
      take: { cost, maxWaitMs: 0, ahead: 0, aheadWithinMs: 0, ...(slot && { slot }) },
      ...(hasParent && { hold: { id, seq: 1, spent: 0, keep: 0, forMs: TICKET_MS } }),
    };
    try {
      const { answer, sentMs } = await this.#send(limit, () => asked, cost);
      if (answer.granted === 0) return this.#refused(answer.limitedBy ?? "rate", answer.waitMs);
      const lease = answer.limit?.concurrent === undefined ? undefined : this.#leased().open(id, sentMs);
      const untilMs = sentMs + TICKET_MS;
      return {
        ...{ ...this.#standing(), allowed: true, lease },
        isFresh: () => !hasParent || runtime.now() < untilMs,
        confirm: () => hasParent && this.#settle(id, cost, limit),
        refund: () => {
          if (lease) this.release(lease);
          if (hasParent) this.#settle(id, 0, limit);
        },
      };
    } catch (error) {
      // The store may have taken it.
      if (slot) this.#leased().release(id, runtime.now());
      throw error;
    }
  }

  /** Tells the store how many of a call's units were spent; the others go back. */
  #settle(id: string, spent: number, limit: BucketLimit): void {
    const hold = { id, seq: 2, spent, keep: 0, forMs: 0 };
    this.#send(limit, () => ({ hold }), undefined).catch(() => undefined);
  }

  /** How the key stands; takes nothing. */
  async peek(limit: BucketLimit): Promise<Standing & { readonly inFlight: number }> {
    this.#lastUseMs = this.#nowMs;
    const { answer } = await this.#send(limit, () => ({}), undefined);
    return { ...this.#standing(), inFlight: answer.inFlight };
  }

  /** Gives a slot back, at once where callers wait for it. */
  release({ id }: Lease): void {
    this.#leased().release(id, this.#nowMs);
    if (this.waiting > 0) this.#queue?.serve();
    else this.#home.flushSoon(this);
  }

  /** Tells the store what it has to know and no request has carried. */
  async flush(most?: number): Promise<void> {
    await this.#hand.flush(most);
    if (this.#leases?.hasReleased) await this.#send(this.limit, () => ({}), undefined).catch(() => undefined);
  }

  /** Once a second: keeps slots and units that are used, and gives back others. */
  look(nowMs: number): void {
    if (this.waiting === 0) this.#hand.look(nowMs, this.#lastUseMs);
    if (this.inUse > 0) void this.#renew(this.#leased(), nowMs);
    else if (this.#leases?.hasReleased) void this.flush();
  }

  /** What was known of the key is void. */
  reset(): void {
    this.#resets += 1;
    this.#knowledge.forget();
    this.#hand.void();
    this.#queue?.serve();
  }

  /**
   * Nothing in hand may be spent any more: the machine was suspended. Whether slots are kept is for the store to tell.
   */
  void(): void {
    this.#hand.void();
    if (this.#leases && this.inUse > 0) void this.#renew(this.#leases, this.#nowMs);
  }

  /** Ends: callers that wait are refused, and running calls lose their slots. */
  close(error: DtError): void {
    this.#queue?.close(error);
    if (this.#leases) this.#lost(this.#leases.over(Number.POSITIVE_INFINITY), "the limit was stopped");
  }

  /** True once nothing has to be kept of it. */
  isIdle(nowMs: number): boolean {
    if (this.#underWay > 0 || this.waiting > 0 || this.inUse > 0 || this.#leases?.hasReleased) return false;
    return this.#hand.isIdle && nowMs - this.#lastUseMs >= IDLE_MS;
  }

  send(asked: () => Asked, cost: number | undefined, heard: (timed: TimedAnswer) => void): Promise<TimedAnswer> {
    return this.#send(this.limit, asked, cost, heard);
  }

  taken(parts: Pick<Taken, "isFresh" | "confirm" | "refund">): Taken {
    return { ...this.#standing(), allowed: true, lease: undefined, ...parts };
  }

  get #nowMs(): number {
    return this.#home.settings.runtime.now();
  }

  #used(cost: number): number {
    const nowMs = this.#nowMs;
    this.#lastUseMs = nowMs;
    this.#hand.heat.add(cost, nowMs);
    return nowMs;
  }

  #standing(): Standing {
    const nowMs = this.#nowMs;
    return this.#knowledge.standing(this.#hand.units(nowMs), nowMs) ?? fresh(this.limit);
  }

  #refusedHere(limitedBy: Refused["limitedBy"], retryAfterMs: number): Refused {
    this.#home.counts.local += 1;
    return this.#refused(limitedBy, retryAfterMs);
  }

  #refused(limitedBy: Refused["limitedBy"], retryAfterMs: number): Refused {
    return { ...this.#standing(), allowed: false, limitedBy, retryAfterMs };
  }

  #noticeChange(from: BucketLimit | undefined, to: BucketLimit | undefined): void {
    const { events } = this.#home;
    if (!from || !to || !events.has("limitChanged") || isSame(from, to)) return;
    events.emit("limitChanged", { key: this.key, from, to });
  }

  async #renew(leases: Leases, nowMs: number): Promise<void> {
    this.#lost(leases.over(nowMs), "the store was away for too long");
    const { ids } = leases;
    if (ids.length === 0) return;
    try {
      const asked = { renew: ids, renewMs: SLOT_MS };
      const { answer, sentMs } = await this.#send(this.limit, () => asked, undefined);
      this.#lost(leases.renewed(ids, answer.lost, sentMs), "the store knows it no more");
    } catch {
      // Tried again in a second.
    }
  }

  #leased(): Leases {
    this.#leases ??= new Leases();
    return this.#leases;
  }

  #lost(leases: readonly Lease[], why: string): void {
    for (const lease of leases) {
      // What the store may still keep is free.
      this.#leased().release(lease.id, this.#nowMs);
      this.#home.slotLost(this.key);
      lease.onLost(slotLost(this, why));
    }
  }

  async #send(
    limit: BucketLimit,
    asked: () => Asked,
    cost: number | undefined,
    heard?: (timed: TimedAnswer) => void,
  ): Promise<TimedAnswer> {
    const resets = this.#resets;
    this.#given = limit;
    let released: readonly string[] = [];
    this.#underWay += 1;
    try {
      const timed = await this.#home.send(this, limit, () => {
        released = this.#leases?.takeReleased() ?? [];
        return { ...asked(), ...(released.length > 0 && { release: released }) };
      });
      const from = this.#knowledge.limit;
      if (resets === this.#resets) this.#knowledge.learn(timed, cost);
      this.#noticeChange(from, this.#knowledge.limit);
      heard?.(timed);
      return timed;
    } catch (error) {
      this.#leases?.putBack(released, this.#nowMs);
      throw error;
    } finally {
      this.#underWay -= 1;
    }
  }
}

function isSame(a: BucketLimit, b: BucketLimit): boolean {
  return a.max === b.max && a.windowMs === b.windowMs && a.burst === b.burst && a.concurrent === b.concurrent;
}
