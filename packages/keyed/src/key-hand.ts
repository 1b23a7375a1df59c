import type { BucketAnswer, BucketHold, BucketLimit, BucketTake } from "@dt/core";
import type { TimedAnswer } from "@dt/core/internal";
import { Hand } from "./hand.ts";
import { Heat } from "./heat.ts";
import type { Asked, KeyHome } from "./key-home.ts";
import type { Knowledge } from "./knowledge.ts";
import type { Taken } from "./outcome.ts";

/** How long units that were taken ahead may be spent, in milliseconds. */
const HOLD_MS = 2_500;
/** Units that would lapse so soon are kept by a report, or go back, in milliseconds. */
const LAPSE_MS = 1_250;
/** Units are taken ahead for so long, in milliseconds. */
const AHEAD_MS = 1_000;
/** A key that was not used for so long is cold: what is in hand of it goes back, in milliseconds. */
const COLD_MS = 1_000;

/** With less, units in hand of one process would be what others need. */
const LEAST_BURST = 4;

/** What the hand of a key has of it. */
export interface HandKey {
  /** The limit that this process gives for it. */
  readonly limit: BucketLimit;
  /**
   * Sends a request of the key, and takes in what the answer tells of it.
   * @param cost what is refused where nothing is granted; undefined where no call asks
   * @param heard called with the answer at once, so that what is left and what is in hand are of one moment
   */
  send(asked: () => Asked, cost: number | undefined, heard: (timed: TimedAnswer) => void): Promise<TimedAnswer>;
  /** How the key stands. */
  taken(parts: Pick<Taken, "isFresh" | "confirm" | "refund">): Taken;
}

/** A call that does not wait, except for the answer of the store. */
interface Asker {
  readonly cost: number;
  readonly decide: (outcome: Taken | { readonly retryAfterMs: number }) => void;
  readonly fail: (error: unknown) => void;
}

/**
 * Decides the calls of a hot key by units that are taken ahead, at most one request at a time. While the key has units,
 * it takes what about a second needs, and no more than half of what there is. While it has no more than comes back, it
 * takes units that are due within a second.
 */
export class KeyHand {
  readonly heat: Heat = new Heat();
  readonly #home: KeyHome;
  readonly #key: HandKey;
  readonly #knowledge: Knowledge;
  #hand: Hand | undefined;
  #askers: Asker[] = [];
  /** Ends with the request that is under way. Whoever waits for it looks again: another one may be first. */
  #busy: Promise<void> | undefined;
  /** Nothing is taken ahead before this time. */
  #lookAtMs = 0;

  constructor(home: KeyHome, key: HandKey, knowledge: Knowledge) {
    this.#home = home;
    this.#key = key;
    this.#knowledge = knowledge;
  }

  /** True where calls are decided by it: the key is hot, or was so lately. */
  isUsed(nowMs: number): boolean {
    return this.#hand !== undefined || (this.heat.isHot(nowMs) && this.#burst >= LEAST_BURST);
  }

  /** True while nothing has to be told, or is asked. */
  get isIdle(): boolean {
    return this.#hand === undefined && this.#askers.length === 0;
  }

  /** True while calls have units that they may give back. */
  get isOpen(): boolean {
    return this.#hand?.isOpen === true;
  }

  units(nowMs: number): number {
    return this.#hand?.units(nowMs) ?? 0;
  }

  ready(nowMs: number): number {
    return this.#hand?.ready(nowMs) ?? 0;
  }

  /** Takes a cost that is in hand; undefined where it is not. */
  take(cost: number, nowMs: number): Taken | undefined {
    if (!this.#hand) return undefined;
    // Units of before the machine was suspended are void then.
    void this.#home.naps;
    if (this.#hand.ready(nowMs) < cost) return undefined;
    const { isFresh, settle } = this.#hand.take(cost);
    return this.#key.taken({
      isFresh: () => isFresh(this.#home.settings.runtime.now()),
      confirm: () => {
        this.heat.grant(cost, this.#home.settings.runtime.now());
        settle(true);
      },
      refund: () => settle(false),
    });
  }

  /**
   * How long a cost certainly has to wait, in milliseconds: for units in hand that are due later, and for those that
   * come after them. Undefined where the bucket may have some now.
   */
  restMs(cost: number, nowMs: number): number | undefined {
    const units = this.units(nowMs);
    if (!this.#hand || units === this.#hand.ready(nowMs)) return undefined;
    const waitMs = this.#hand.waitMs(Math.min(cost, units), nowMs) ?? 0;
    return waitMs + Math.max(0, cost - units) * this.#knowledge.everyMs;
  }

  /** Asks the store for a call that does not wait, with others that come meanwhile. */
  ask(cost: number): Promise<Taken | { readonly retryAfterMs: number }> {
    return new Promise((decide, fail) => {
      this.#askers.push({ cost, decide, fail });
      if (this.#askers.length === 1) void this.#askAll();
    });
  }

  /** Reserves what a cost still needs, and units for the callers behind it. Resolves to how long it has to wait. */
  async reserve(cost: number, maxWaitMs: number, behind: number): Promise<{ readonly retryAfterMs: number }> {
    const { runtime } = this.#home.settings;
    while (this.#busy) await this.#busy;
    const missing = cost - this.units(runtime.now());
    if (missing <= 0) return { retryAfterMs: this.#hand?.waitMs(cost, runtime.now()) ?? 0 };
    const ahead = Math.max(0, Math.min(behind, Math.floor(this.#burst / 2)));
    const take = { cost: missing, maxWaitMs, ahead, aheadWithinMs: AHEAD_MS };
    const answer = await this.#exchange(undefined, () => take);
    const nowMs = runtime.now();
    return { retryAfterMs: this.#hand?.waitMs(cost, nowMs) ?? Math.max(1, answer.waitMs) };
  }

  /** Takes units ahead in the background where few are left. */
  lookAhead(nowMs: number): void {
    if (this.#busy || this.#askers.length > 0 || !this.heat.isHot(nowMs)) return;
    if (nowMs < this.#lookAtMs) return;
    const units = this.units(nowMs);
    const target = this.#target(nowMs);
    if (units > target / 4 || target - units < 1) return;
    this.#exchange(undefined, () => this.#take(1, target - units - 1)).catch(() => undefined);
  }

  /** Reports what a key that turns cold has in hand, and keeps what would lapse of a warm one. */
  look(nowMs: number, lastUseMs: number): void {
    const hand = this.#hand;
    if (!hand || this.#busy) return;
    if (nowMs - lastUseMs < COLD_MS) {
      const { untilMs } = hand;
      if (untilMs > nowMs && untilMs < nowMs + LAPSE_MS) void this.#report(this.#target(nowMs));
    } else if (hand.isUntold) void this.#report(0);
    else if (!hand.isOpen) this.#hand = undefined;
  }

  /** Tells the store what was spent. Of the units in hand so many are kept as the key's calls need. */
  async flush(most: number = this.#target(this.#home.settings.runtime.now())): Promise<void> {
    while (this.#busy) await this.#busy;
    if (this.#hand?.isUntold) await this.#report(most);
  }

  /** Nothing in hand may be spent any more. */
  void(): void {
    this.#hand?.void();
  }

  /** Of the limit in force, as far as it is known. */
  get #burst(): number {
    return (this.#knowledge.limit ?? this.#key.limit).burst;
  }

  async #askAll(): Promise<void> {
    while (this.#askers.length > 0) {
      while (this.#busy) await this.#busy;
      let counted: readonly Asker[] = [];
      try {
        const answer = await this.#exchange(this.#askers[0]?.cost, () => {
          counted = [...this.#askers];
          const wanted = counted.reduce((sum, { cost }) => sum + cost, 0);
          const ready = this.ready(this.#home.settings.runtime.now());
          const missing = Math.max(1, (counted[0]?.cost ?? 1) - ready);
          return this.#take(
            missing,
            Math.max(0, wanted - ready - missing) + this.#target(this.#home.settings.runtime.now()),
          );
        });
        this.#decide(counted, answer);
      } catch (error) {
        for (const { fail } of this.#askers.splice(0)) fail(error);
      }
    }
  }

  /** Serves those who asked, and refuses those for whom there was not enough; the others ask again. */
  #decide(counted: readonly Asker[], { waitMs, remaining, everyMs }: BucketAnswer): void {
    const nowMs = this.#home.settings.runtime.now();
    const left: Asker[] = [];
    for (const [index, asker] of this.#askers.entries()) {
      const { cost } = asker;
      const taken = this.take(cost, nowMs);
      if (taken) {
        asker.decide(taken);
        continue;
      }
      const missing = cost - this.units(nowMs);
      // The bucket may have had more than this process may hold.
      const isSure = index === 0 || (index < counted.length && missing > remaining);
      const retryAfterMs = this.restMs(cost, nowMs) ?? (index === 0 ? waitMs : (missing - remaining) * everyMs);
      if (isSure) asker.decide({ retryAfterMs: Math.max(1, retryAfterMs) });
      else left.push(asker);
    }
    this.#askers = left;
  }

  /** Units that are worth having in hand. */
  #target(nowMs: number): number {
    const { heat } = this;
    const { everyMs } = this.#knowledge;
    if (!heat.isHot(nowMs) || everyMs === 0) return 0;
    // All hands together have no more than half of the burst.
    const part = (this.#burst / 2) * heat.share(everyMs, nowMs);
    const wanted = Math.min(heat.rate(nowMs), part);
    if (this.#knowledge.isScarce(nowMs)) return Math.max(1, Math.floor(Math.min(wanted, AHEAD_MS / everyMs)));
    const spare = this.#knowledge.remaining(nowMs) + this.units(nowMs) - this.#burst / 2;
    return Math.floor(Math.min(heat.rate(nowMs), Math.max(part, spare / 2)));
  }

  /** A cost, and units ahead; while the key is scarce those that are due soon. */
  #take(cost: number, ahead: number): BucketTake {
    const withinMs = this.#knowledge.isScarce(this.#home.settings.runtime.now()) ? AHEAD_MS : 0;
    return { cost, maxWaitMs: withinMs, ahead, aheadWithinMs: withinMs };
  }

  async #report(most: number): Promise<void> {
    await this.#exchange(undefined, () => undefined, most).catch(() => undefined);
  }

  /** One request with what is in hand. */
  #exchange(cost: number | undefined, take: () => BucketTake | undefined, most?: number): Promise<BucketAnswer> {
    const { runtime } = this.#home.settings;
    const hand = this.#hand ?? new Hand(this.#home.nextId());
    this.#hand = hand;
    let hold: BucketHold | undefined;
    const asked = (): Asked => {
      const taken = take();
      hold = hand.report(runtime.now(), HOLD_MS, most);
      return { ...(taken && { take: taken }), hold };
    };
    const exchange = async (): Promise<BucketAnswer> => {
      try {
        const { naps } = this.#home;
        const timed = await this.#key.send(asked, cost, (heard) => {
          hand.receive(heard, hold as BucketHold);
          if (this.#home.naps !== naps) hand.void();
        });
        const { granted, waitMs, everyMs } = timed.answer;
        // What is due too late to be taken ahead, and what others have in hand, is not asked for at once again.
        if (granted === 0 && waitMs > 0) this.#lookAtMs = timed.receivedMs + Math.max(waitMs - AHEAD_MS, everyMs / 2);
        return timed.answer;
      } finally {
        this.#busy = undefined;
      }
    };
    const answer = exchange();
    const ended = (): void => undefined;
    this.#busy = answer.then(ended, ended);
    return answer;
  }
}
