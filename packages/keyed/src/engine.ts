import { type BucketLimit, type CallCounts, type DtError, isDtError, randomId, type Timer } from "@dt/core";
import {
  type AcquireSettings,
  checkName,
  type Drain,
  type Events,
  MOST_UNITS,
  type TimedAnswer,
  withDeadline,
} from "@dt/core/internal";
import { ActiveKey } from "./active-key.ts";
import type { Check, LimitedBy, Peek } from "./check.ts";
import { Decisions, type KeyedCall, type KeyedWaiter } from "./decisions.ts";
import { checkCost, notInTime, stoppedError, type Whose } from "./errors.ts";
import type { KeyedEvents } from "./events.ts";
import type { KeyCounts } from "./key-counts.ts";
import type { Asked, Counts, KeyHome } from "./key-home.ts";
import { KeyedSlot } from "./leases.ts";
import type { KeyedSettings } from "./options.ts";
import type { Taken } from "./outcome.ts";
import { Requests } from "./requests.ts";
import { StoredForAll } from "./stored-for-all.ts";
import { UnderParent } from "./under-parent.ts";

/** How often slots are renewed, and keys looked at that may be forgotten, in milliseconds. */
const SWEEP_MS = 1_000;
/** What is given back waits so long for a request to travel with, in milliseconds. */
const FLUSH_MS = 10;
/** Callers that wait for a slot ask again after so long: other processes do not tell of slots that are free. */
const RETRY_MS = 100;

/** What all keys of a limit have in common. */
export class KeyedEngine implements KeyHome {
  readonly settings: KeyedSettings;
  readonly events: Events<KeyedEvents>;
  readonly #decisions: Decisions;
  readonly #requests: Requests;
  readonly #storedForAll: StoredForAll;
  readonly #underParent: UnderParent;
  readonly #keys = new Map<string, ActiveKey>();
  readonly #flushing = new Set<{ flush(): Promise<void> }>();
  readonly #id: string;
  #ids = 0;
  #sweep: Timer | undefined;
  #flush: Timer | undefined;
  readonly #drain: Drain;
  #ending: "is being drained" | "was stopped" | undefined;
  /** Callers that wait: for their key, or for its parent. */
  waiting = 0;

  constructor(settings: KeyedSettings, events: Events<KeyedEvents>, drain: Drain) {
    this.settings = settings;
    this.#drain = drain;
    this.#decisions = new Decisions(settings, events);
    this.events = events;
    this.#id = randomId(settings.runtime);
    this.#storedForAll = new StoredForAll(settings);
    this.#underParent = new UnderParent(settings, (key) => this.limitOf(key));
    this.#requests = new Requests(settings, events, this.#decisions.counts, () => {
      for (const key of this.#keys.values()) key.void();
    });
  }

  get counts(): Counts {
    return this.#decisions.counts;
  }

  get calls(): CallCounts {
    return this.#decisions.calls;
  }

  /** True where a limit made a call wait, or refused one, within the last 30 s, or while one waits. */
  get isLimiting(): boolean {
    if (this.#decisions.isLimiting(this.settings.runtime.now())) return true;
    for (const { queue } of this.#keys.values()) if (queue?.isHeldUp) return true;
    return false;
  }

  get keys(): number {
    return this.#keys.size;
  }

  get lastError(): DtError | undefined {
    return this.#requests.lastError;
  }

  /** Whether the limit ends, for all its keys. */
  get state(): "running" | "draining" | "stopped" {
    if (this.#ending === undefined) return "running";
    return this.#ending === "was stopped" ? "stopped" : "draining";
  }

  get naps(): number {
    return this.#requests.naps;
  }

  /** A caller that waits for a slot looks again after about so long. */
  get retryMs(): number {
    return RETRY_MS * (0.75 + 0.5 * this.settings.runtime.random());
  }

  get inUse(): number {
    let sum = 0;
    for (const { inUse } of this.#keys.values()) sum += inUse;
    return sum;
  }

  /** What is kept of a key; undefined where it is not active. */
  keyOf(key: string): ActiveKey | undefined {
    return this.#keys.get(key);
  }

  /** The limit that this process gives for a key. */
  limitOf(key: string): BucketLimit {
    return this.#storedForAll.limitOf(this.settings.limitOf(key));
  }

  /** Decides a call that does not wait. */
  async check(call: KeyedCall, how?: AcquireSettings): Promise<Check> {
    const { key, cost } = call;
    this.#assertOpen();
    const sinceMs = this.settings.runtime.now();
    let limit = this.checked(key, cost);
    try {
      const reading = this.#storedForAll.use();
      if (reading) {
        await reading;
        limit = this.checked(key, cost);
      }
      return this.#decisions.checked(call, await this.#decide(key, cost, limit));
    } catch (error) {
      const { priority = 0, signal } = how ?? {};
      return this.#withoutStore({ ...call, sinceMs, priority, signal }, limit, error);
    }
  }

  /** A call of `run` that does not wait was refused: listeners are told. */
  refused(key: string, cost: number, { priority, signal }: AcquireSettings): void {
    const sinceMs = this.settings.runtime.now();
    this.#decisions.told("refused", { key, cost, counts: undefined, sinceMs, priority, signal });
  }

  /** What becomes of a call that failed: it goes on all the same, is refused, or fails. */
  #withoutStore(call: KeyedWaiter, limit: BucketLimit, error: unknown): Check {
    try {
      return this.#decisions.withoutStore(call, limit, error);
    } catch (reason) {
      this.#decisions.failed(reason, call);
      throw reason;
    }
  }

  /** The right of a call that `check` has let through. */
  slotOf(key: string, cost: number, { slot }: Check): KeyedSlot {
    return this.#kept(key, cost, { lease: undefined }, slot);
  }

  async peek(key: string): Promise<Peek> {
    checkName("key", key);
    this.#assertOpen();
    const reading = this.#storedForAll.use();
    if (reading) await reading;
    return this.#active(key).peek(this.limitOf(key));
  }

  /** Waits until a call may go on. */
  async acquire(key: string, cost: number, how: AcquireSettings, counts: KeyCounts): Promise<KeyedSlot> {
    const { runtime, enforce, acquireTimeoutMs } = this.settings;
    this.#assertOpen();
    let limit = this.checked(key, cost);
    how.signal?.throwIfAborted();
    if (!enforce) return this.slotOf(key, cost, await this.check({ key, cost, counts }, how));
    const sinceMs = runtime.now();
    const call = { key, cost, counts, sinceMs, priority: how.priority, signal: how.signal };
    let wasHeldUp = false;
    const timeoutMs = how.timeoutMs ?? acquireTimeoutMs;
    const untilMs = sinceMs + (timeoutMs ?? Number.POSITIVE_INFINITY);
    this.waiting += 1;
    try {
      const reading = this.#storedForAll.use();
      if (reading) {
        await reading;
        limit = this.checked(key, cost);
      }
      for (;;) {
        const active = this.#active(key);
        const queue = active.waitsFor(cost);
        const taken = await queue.join(cost, rest(how, untilMs - runtime.now()), counts);
        const entersMs = runtime.now();
        const entered = await this.#underParent.enter(active, cost, taken, rest(how, untilMs - entersMs));
        wasHeldUp ||= queue.heldUpMs >= sinceMs || (runtime.now() > entersMs && this.#underParent.isLimiting(key));
        if (!entered) continue;
        if (wasHeldUp) this.#decisions.served(call);
        else this.#decisions.granted(call, runtime.now() - sinceMs);
        return this.#kept(key, cost, entered.taken, entered.parent);
      }
    } catch (error) {
      if ((this.#keys.get(key)?.queue?.heldUpMs ?? Number.NEGATIVE_INFINITY) >= sinceMs) this.#decisions.limited(call);
      if (isDtError(error, "DT_TIMEOUT")) {
        this.#decisions.failed(error, call);
        throw notInTime({ name: this.settings.name, key }, timeoutMs, error as { limitedBy?: LimitedBy });
      }
      const { whenStoreLost } = this.settings;
      const check = whenStoreLost === "allow" ? this.#withoutStore(call, limit, error) : undefined;
      if (check !== undefined) return this.slotOf(key, cost, check);
      this.#decisions.failed(error, call);
      throw error;
    } finally {
      this.waiting -= 1;
      if (this.waiting === 0) this.#drain.look();
    }
  }

  /** Forgets what the store and this process know of a key. */
  async reset(key: string): Promise<void> {
    const { name, store, runtime, storeTimeoutMs: timeoutMs } = this.settings;
    checkName("key", key);
    this.#keys.get(key)?.reset();
    const what = `a reset of the keyed limit ${name}`;
    await withDeadline(async (signal) => store.resetBucket?.({ name, key }, signal), { runtime, timeoutMs, what });
    this.#keys.get(key)?.reset();
  }

  upToDate(): Promise<void> | undefined {
    return this.#storedForAll.use();
  }

  send(whose: Whose, limit: BucketLimit, asked: () => Asked): Promise<TimedAnswer> {
    return this.#requests.send(whose, limit, asked);
  }

  /** A key has something to tell the store. It waits a little, so that it travels with others. */
  flushSoon(key: { flush(): Promise<void> }): void {
    this.#flushing.add(key);
    if (this.#flush) return;
    this.#flush = this.settings.runtime.setTimer(() => this.#flushAll(), FLUSH_MS, { keepAlive: false });
  }

  nextId(): string {
    this.#ids += 1;
    return `${this.#id}:${this.#ids}`;
  }

  limited(): void {
    this.#decisions.limited({ counts: undefined });
  }

  slotLost(key: string): void {
    this.counts.slotsLost += 1;
    if (this.events.has("slotLost")) this.events.emit("slotLost", { key });
  }

  /** Refuses the callers of one key that wait for this owner. */
  closeOwner(key: string, owner: object): void {
    this.#keys.get(key)?.queue?.close(stoppedError(this.settings.name, "was stopped"), owner);
  }

  /** Refuses newcomers from now on. */
  refuse(what: "is being drained" | "was stopped"): void {
    this.#ending = what;
  }

  /** Work begins that a drain waits for; returns the function that reports its end. */
  begin(): () => void {
    return this.#drain.begin();
  }

  /** Ends: callers that wait are refused, and what is not used goes back to the store. */
  async close(): Promise<void> {
    this.refuse("was stopped");
    const { name, runtime, storeTimeoutMs: timeoutMs } = this.settings;
    for (const key of this.#keys.values()) key.close(stoppedError(name, "was stopped"));
    const given = async (): Promise<void> => {
      await this.#requests.answered();
      await Promise.allSettled([...this.#keys.values()].map((key) => key.flush(0)));
    };
    await withDeadline(given, { runtime, timeoutMs, what: "the end of a keyed limit" }).catch(() => undefined);
    this.#sweep?.cancel();
    this.#flush?.cancel();
    this.#keys.clear();
  }

  /**
   * The limit of a key, which may be asked for this cost. The store may have a larger one.
   * @throws DtError `DT_INVALID_COST`, `DT_INVALID_OPTION`
   */
  checked(key: string, cost: number): BucketLimit {
    checkName("key", key);
    const limit = this.limitOf(key);
    checkCost(cost, this.settings.stored ? MOST_UNITS : limit.burst);
    return limit;
  }

  #active(key: string): ActiveKey {
    let active = this.#keys.get(key);
    if (!active) {
      active = new ActiveKey(this, key);
      this.#keys.set(key, active);
      this.#sweepSoon();
    }
    return active;
  }

  async #decide(key: string, cost: number, limit: BucketLimit): Promise<Check> {
    const outcome = await this.#active(key).decide(cost, limit);
    const { limit: inForce, remaining, resetMs } = outcome;
    const standing = { limit: inForce, remaining, resetMs, storeError: undefined };
    if (!outcome.allowed) {
      checkCost(cost, inForce.burst);
      const { limitedBy, retryAfterMs } = outcome;
      return { ...standing, allowed: false, limitedBy, retryAfterMs, slot: undefined };
    }
    const parent = this.settings.parentOf(key);
    let above: Check | undefined;
    try {
      above = await parent?.check(cost);
    } catch (error) {
      outcome.refund();
      throw error;
    }
    if (above?.allowed === false) {
      outcome.refund();
      return { ...standing, allowed: false, limitedBy: "parent", retryAfterMs: above.retryAfterMs, slot: undefined };
    }
    if (!outcome.isFresh()) {
      outcome.refund();
      above?.slot?.release();
      return { ...standing, allowed: false, limitedBy: "rate", retryAfterMs: 0, slot: undefined };
    }
    outcome.confirm();
    const slot = outcome.lease || above?.slot ? this.#kept(key, cost, outcome, above?.slot) : undefined;
    return { ...standing, allowed: true, limitedBy: undefined, retryAfterMs: 0, slot };
  }

  #kept(key: string, cost: number, { lease }: Pick<Taken, "lease">, parent: Check["slot"]): KeyedSlot {
    return new KeyedSlot({ cost, lease, parent, release: (given) => this.#keys.get(key)?.release(given) });
  }

  #flushAll(): void {
    this.#flush = undefined;
    for (const key of this.#flushing) void key.flush();
    this.#flushing.clear();
  }

  #sweepSoon(): void {
    this.#sweep ??= this.settings.runtime.setTimer(() => this.#sweepNow(), SWEEP_MS, { keepAlive: false });
  }

  #sweepNow(): void {
    this.#sweep = undefined;
    const nowMs = this.settings.runtime.now();
    for (const [name, key] of this.#keys) {
      if (key.isIdle(nowMs)) this.#keys.delete(name);
      else key.look(nowMs);
    }
    if (this.#keys.size > 0) this.#sweepSoon();
  }

  #assertOpen(): void {
    if (this.#ending) throw stoppedError(this.settings.name, this.#ending);
  }
}

/** How a call waits for what is left of its time. */
function rest(how: AcquireSettings, ms: number): AcquireSettings {
  return { ...how, timeoutMs: ms === Number.POSITIVE_INFINITY ? undefined : Math.max(0, ms) };
}
