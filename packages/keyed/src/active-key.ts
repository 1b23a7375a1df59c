import { type BucketLimit, type DtError, randomId } from "@dt/core";
import type { TimedAnswer } from "./batcher.ts";
import { slotLost, type Whose } from "./errors.ts";
import type { Asked, KeyHome } from "./key-home.ts";
import { KeyQueue } from "./key-queue.ts";
import { type Lease, Leases, SLOT_MS } from "./leases.ts";
import { fresh, type Outcome, type Refused, type Standing } from "./outcome.ts";

/** A key that was not used for so long is forgotten, in milliseconds. */
const IDLE_MS = 2_000;
/** A refusal is remembered for no longer, since others may give units back, in milliseconds. */
const MOST_REMEMBERED_MS = 1_000;
/** Units of a call that waits for the answer of a parent stay its own for so long, in milliseconds. */
const TICKET_MS = 2_500;

/** What this process keeps of one key while it is used. */
export class ActiveKey implements Whose {
  readonly name: string;
  readonly key: string;
  readonly #home: KeyHome;
  #lastUseMs = 0;
  /** Requests that are not answered. */
  #underWay = 0;
  #standing: Standing | undefined;
  /** A cost of at least so much is refused until then. */
  #deniedCost = Number.POSITIVE_INFINITY;
  #deniedUntilMs = 0;
  /** Grows with each reset: an answer to a request of before says nothing of what is now. */
  #resets = 0;
  #leases: Leases | undefined;
  #queue: KeyQueue | undefined;

  constructor(home: KeyHome, key: string) {
    this.name = home.settings.name;
    this.key = key;
    this.#home = home;
  }

  get waiting(): number {
    return this.#queue?.size ?? 0;
  }

  get inUse(): number {
    return this.#leases?.size ?? 0;
  }

  get inHand(): number {
    return 0;
  }

  /** The limit in force, as of the last answer. */
  get limit(): BucketLimit | undefined {
    return this.#standing?.limit;
  }

  get queue(): KeyQueue {
    this.#queue ??= new KeyQueue(this.#home, this);
    return this.#queue;
  }

  used(nowMs: number): void {
    this.#lastUseMs = nowMs;
  }

  /** Decides a call that does not wait: at once where it can, and otherwise by asking the store. */
  decide(cost: number, limit: BucketLimit): Outcome | Promise<Outcome> {
    const nowMs = this.#home.settings.runtime.now();
    this.used(nowMs);
    if (this.waiting > 0) return this.#refused("waiting", this.#queue?.restMs ?? 0, limit);
    const refused = this.#knownRefusal(cost, limit, nowMs);
    return refused ?? this.ask(cost, limit);
  }

  #knownRefusal(cost: number, limit: BucketLimit, nowMs: number): Outcome | undefined {
    if (cost >= this.#deniedCost && nowMs < this.#deniedUntilMs)
      return this.#refused("rate", this.#deniedUntilMs - nowMs, limit);
    if (limit.concurrent !== undefined && this.inUse >= limit.concurrent)
      return this.#refused("concurrent", this.#home.retryMs, limit);
    return undefined;
  }

  #refused(limitedBy: Refused["limitedBy"], retryAfterMs: number, limit: BucketLimit): Outcome {
    this.#home.counts.local += 1;
    return { ...(this.#standing ?? fresh(limit)), allowed: false, limitedBy, retryAfterMs };
  }

  /** Asks the store for this call alone. */
  async ask(cost: number, limit: BucketLimit): Promise<Outcome> {
    const { runtime } = this.#home.settings;
    const id = randomId(runtime);
    const hasParent = this.#home.settings.parentOf(this.key) !== undefined;
    const slot = limit.concurrent === undefined ? undefined : { id, forMs: SLOT_MS };
    const resets = this.#resets;
    try {
      const timed = await this.#send(limit, {
        take: { cost, maxWaitMs: 0, ahead: 0, aheadWithinMs: 0, ...(slot && { slot }) },
        ...(hasParent && { hold: { id, seq: 1, spent: 0, keep: 0, forMs: TICKET_MS } }),
      });
      if (resets === this.#resets) this.#learn(timed, cost);
      const { answer, sentMs } = timed;
      const standing = this.#standing ?? standingOf(answer, limit);
      if (answer.granted === 0)
        return { ...standing, allowed: false, limitedBy: answer.limitedBy ?? "rate", retryAfterMs: answer.waitMs };
      const lease = slot && this.#leased().open(id, sentMs);
      const untilMs = sentMs + TICKET_MS;
      return {
        ...{ ...standing, allowed: true, lease },
        isFresh: () => !hasParent || runtime.now() < untilMs,
        confirm: () => hasParent && this.#report(id, cost, limit),
        refund: () => {
          if (lease) this.release(lease);
          if (hasParent) this.#report(id, 0, limit);
        },
      };
    } catch (error) {
      // The store may have taken it.
      if (slot) this.#leased().release(id, runtime.now());
      throw error;
    }
  }

  /** Tells the store how many of a call's units were spent; the others go back. */
  #report(id: string, spent: number, limit: BucketLimit): void {
    this.#send(limit, { hold: { id, seq: 2, spent, keep: 0, forMs: 0 } }).catch(() => undefined);
  }

  /** How the key stands; takes nothing. */
  async peek(limit: BucketLimit): Promise<Standing & { readonly inFlight: number }> {
    this.used(this.#home.settings.runtime.now());
    const { answer } = await this.#send(limit, {});
    return { ...standingOf(answer, limit), inFlight: answer.inFlight };
  }

  /** Gives a slot back, at once where callers wait for it. */
  release({ id }: Lease): void {
    this.#leased().release(id, this.#home.settings.runtime.now());
    if (this.waiting > 0) this.#queue?.serve();
    else this.#home.flushSoon(this);
  }

  /** Tells the store what it has to know and no request has carried. */
  async flush(): Promise<void> {
    if (this.#leases?.hasReleased) await this.#send(this.#home.limitOf(this.key), {}).catch(() => undefined);
  }

  /** Keeps the slots of calls that run, and gives up those that could not be kept. */
  async renew(): Promise<void> {
    const leases = this.#leases;
    if (!leases || leases.size === 0) return;
    this.#lost(leases.over(this.#home.settings.runtime.now()), "the store was away for too long");
    const { ids } = leases;
    if (ids.length === 0) return;
    try {
      const { answer, sentMs } = await this.#send(this.#home.limitOf(this.key), { renew: ids, renewMs: SLOT_MS });
      this.#lost(leases.renewed(ids, answer.lost, sentMs), "the store knows it no more");
    } catch {
      // Tried again in a second.
    }
  }

  /** What was known of the key is void. */
  reset(): void {
    this.#resets += 1;
    this.#deniedUntilMs = 0;
    this.#standing = undefined;
    this.#queue?.serve();
  }

  /** Ends: callers that wait are refused, and running calls lose their slots' renewal. */
  close(error: DtError): void {
    this.#queue?.close(error);
    if (!this.#leases) return;
    const nowMs = this.#home.settings.runtime.now();
    this.#lost(this.#leases.over(Number.POSITIVE_INFINITY), "the limit was stopped");
    for (const id of this.#leases.ids) this.#leases.release(id, nowMs);
  }

  /** True once nothing has to be kept of it. */
  isIdle(nowMs: number): boolean {
    if (this.#underWay > 0 || this.waiting > 0 || this.inUse > 0 || this.#leases?.hasReleased) return false;
    return nowMs - this.#lastUseMs >= IDLE_MS;
  }

  #leased(): Leases {
    this.#leases ??= new Leases();
    return this.#leases;
  }

  #lost(leases: readonly Lease[], why: string): void {
    for (const lease of leases) {
      // What the store may still keep is free.
      this.#leased().release(lease.id, this.#home.settings.runtime.now());
      this.#home.slotLost(this.key);
      lease.onLost(slotLost(this, why));
    }
  }

  #learn({ answer, sentMs, receivedMs }: TimedAnswer, cost: number): void {
    this.#standing = standingOf(answer, answer.limit ?? this.#home.limitOf(this.key));
    if (answer.granted > 0 || answer.limitedBy === "concurrent") return;
    this.#deniedCost = cost;
    this.#deniedUntilMs = Math.min(sentMs + answer.waitMs, receivedMs + MOST_REMEMBERED_MS);
  }

  async #send(limit: BucketLimit, asked: Asked): Promise<TimedAnswer> {
    let released: readonly string[] = [];
    this.#underWay += 1;
    try {
      return await this.#home.send(this, limit, () => {
        released = this.#leases?.takeReleased() ?? [];
        return { ...asked, ...(released.length > 0 && { release: released }) };
      });
    } catch (error) {
      this.#leases?.putBack(released, this.#home.settings.runtime.now());
      throw error;
    } finally {
      this.#underWay -= 1;
    }
  }
}

function standingOf({ remaining, resetMs, limit }: TimedAnswer["answer"], asked: BucketLimit): Standing {
  return { limit: limit ?? asked, remaining: Math.max(0, Math.floor(remaining)), resetMs };
}
