import type { Membership } from "../consensus/membership.ts";
import type { Use } from "../contract/coordination-store.ts";
import type { Events } from "../internal/events.ts";
import { toNumber } from "../modes/fraction.ts";
import { footOf, type Level, moved, resumed, within } from "../modes/ramp.ts";
import { Allotment, heldShare, NO_SHARE, type Share } from "../shares/allotment.ts";
import type { ThrottleEvents } from "./events.ts";
import { JointAllotment, type ReplacedThrottle } from "./joint-allotment.ts";
import { type LimitSpec, limitAt } from "./limit.ts";
import type { ThrottleSettings } from "./settings.ts";

/** From this part of what a member could have used on, an epoch counts as near the limit. */
const NEAR_LIMIT = 0.8;

/** Never, in any epoch. */
const NOTHING_USED: Use = { epoch: 0, used: 0 };

/**
 * What a member may grant at this instant. Brings together the epoch (from the store's clock), the level (ramp and
 * mode), the share (what the membership allows) and the allotment (what was granted of it). The allotment may be used
 * unseen until `untilMs`; then {@link refresh} looks again.
 */
export class Allowance {
  readonly allotment: Allotment;
  /** Local time until which `allotment` may be used without looking again; 0 forces a look. */
  untilMs = 0;
  /** False before the start and once stopping: nothing is granted then. */
  open = false;
  /**
   * Counts the epochs begun here. Unlike an epoch's number it names one epoch for good, also when the store's clock is
   * learned later.
   */
  turn = 0;
  /** Epochs that ended so far in which this member used nearly all that it could have used. */
  nearLimit = 0;
  readonly #settings: ThrottleSettings;
  readonly #membership: Membership;
  readonly #events: Events<ThrottleEvents>;
  /** The most that a member may get where shares follow demand. */
  readonly #waterLevel: () => number;
  /** The limit of the code, and the one in force: another one where it lives in the store. */
  #code: LimitSpec;
  #limit: LimitSpec;
  #level: Level;
  /** The epoch the allotment stands for; it never goes back. */
  #epoch = Number.NEGATIVE_INFINITY;
  #epochOfStore = false;
  #activeEpoch: number | undefined;
  /** The epoch before the one that the allotment stands for, and what was used in it. */
  #epochBefore = Number.NEGATIVE_INFINITY;
  #usedBefore = 0;
  #lastTurn = 0;
  #lastUsed = 0;
  #lastOffered = 0;
  #lastShare = -1;
  #cap = Number.POSITIVE_INFINITY;

  constructor(
    settings: ThrottleSettings,
    membership: Membership,
    events: Events<ThrottleEvents>,
    replaced?: ReplacedThrottle,
    waterLevel: () => number = () => 0,
  ) {
    this.#settings = settings;
    this.#membership = membership;
    this.#events = events;
    this.#waterLevel = waterLevel;
    this.#code = settings.limit;
    this.#limit = settings.limit;
    this.#level = footOf(settings.limit);
    const { release, burst } = settings;
    this.allotment = replaced ? new JointAllotment(release, burst, replaced) : new Allotment(release, burst);
  }

  get epoch(): number {
    return this.#epoch;
  }

  /** Store time at which the newest epoch began; 0 while epochs are counted on the local clock. */
  get begunMs(): number {
    return this.#epochOfStore ? this.#epoch * this.#settings.intervalMs : 0;
  }

  /** What was used in the newest epoch begun; undefined if that was an epoch of the local clock. */
  get use(): Use | undefined {
    const used = this.allotment.charged;
    if (this.#epochOfStore) return { epoch: this.#epoch, used };
    return this.turn <= 1 && used === 0 ? NOTHING_USED : undefined;
  }

  /**
   * Tokens granted and not deposited in the epoch before the one under way at `nowMs`. Begins none: in an epoch that
   * nobody has asked for tokens in, the allotment still stands for an older one.
   */
  usedBefore(nowMs: number): number {
    const epoch = Math.floor(this.#membership.clock.toStore(nowMs) / this.#settings.intervalMs) - 1;
    if (epoch === this.#epoch) return this.allotment.used;
    return Math.max(epoch, this.#epoch - 1) === this.#epochBefore ? this.#usedBefore : 0;
  }

  /** So many tokens that were used in an epoch count as spent for all, and no more against this member's share. */
  discharge({ epoch }: Use, tokens: number): void {
    if (epoch === this.#epoch && tokens > 0) this.allotment.discharge(tokens);
  }

  get intervalMs(): number {
    return this.#settings.intervalMs;
  }

  /** Local time at which the next epoch begins. */
  get epochEndMs(): number {
    return this.#membership.clock.toLocal((this.#epoch + 1) * this.#settings.intervalMs);
  }

  /** Local time at which the epoch of this instant ends, whether tokens were asked for in it or not. */
  endOfEpochAt(nowMs: number): number {
    const { clock } = this.#membership;
    const { intervalMs } = this.#settings;
    return clock.toLocal((Math.floor(clock.toStore(nowMs) / intervalMs) + 1) * intervalMs);
  }

  /** The level to declare to the store: null before tokens were ever asked for. */
  get declaredLevel(): number | null {
    return this.#activeEpoch === undefined ? null : toNumber(this.#level);
  }

  /**
   * The level of the whole pool, as it would be if tokens were asked for in the current epoch: that of the ramp, unless
   * it is capped.
   */
  get level(): number {
    return Math.min(toNumber(this.#levelNow()), this.#cap);
  }

  /** The most that the level may be here; undefined for no cap. */
  get cap(): number | undefined {
    return this.#cap === Number.POSITIVE_INFINITY ? undefined : this.#cap;
  }

  /**
   * Keeps the level at or below `cap`, `Infinity` for no cap. The ramp goes on beneath it, and is what the store is
   * told.
   */
  capAt(cap: number): void {
    if (cap === this.#cap) return;
    this.#cap = cap;
    this.untilMs = 0;
    if (this.#events.has("cap")) this.#events.emit("cap", { cap: this.cap, level: this.level });
  }

  /** The limit in force, and its ramp. */
  get limit(): LimitSpec {
    return this.#limit;
  }

  /** The limit of the code, and its ramp. */
  get code(): LimitSpec {
    return this.#code;
  }

  /** Goes on from a level that was remembered. */
  resume(level: number): void {
    this.#level = resumed(this.#limit, level);
    this.untilMs = 0;
  }

  /** Another limit of the code. Where the limit lives in the store only the ramp changes, once it has answered. */
  changeLimit(code: LimitSpec): void {
    this.#code = code;
    const { stored } = this.#settings;
    const { capacity } = this.#membership.holding;
    this.#goOn(stored && capacity > 0 ? limitAt(code, capacity) : code);
  }

  /** Takes in the limit that lives in the store, by its last answer. True where it is another one. */
  followStore(): boolean {
    const { capacity } = this.#membership.holding;
    if (!this.#settings.stored || capacity === 0 || capacity === this.#limit.max) return false;
    this.#goOn(limitAt(this.#code, capacity));
    return true;
  }

  /**
   * Goes on from the present level on another ramp. The step of an epoch that has begun is still the next request's: a
   * change of the limit asks for no tokens.
   */
  #goOn(limit: LimitSpec): void {
    this.#limit = limit;
    this.#level = within(limit, this.#level);
    this.untilMs = 0;
  }

  /** True while the share is valid: the store answered recently enough, and its clock is known well enough. */
  valid(nowMs: number): boolean {
    return nowMs < this.#membership.validUntilMs;
  }

  /**
   * Brings the allotment up to date: a new epoch, a changed share, an expired one. The slow path of every grant, taken
   * once an epoch and after every sync. `asked` says that tokens are asked for, which is what moves the ramp.
   */
  refresh(nowMs: number, asked: boolean): void {
    this.#membership.noticeSleep();
    const { clock, holding, validUntilMs } = this.#membership;
    const { intervalMs } = this.#settings;
    this.#turnTo(Math.floor(clock.toStore(nowMs) / intervalMs), clock.known);
    const { untilMs: pausedUntilMs } = this.#membership.pause;
    const isPaused = nowMs < pausedUntilMs;
    if (asked && !isPaused && this.#activeEpoch !== this.#epoch) {
      this.#level = this.#levelNow();
      this.#activeEpoch = this.#epoch;
    }
    // Raises start by the store's epochs: those of the local clock may be far ahead.
    if (clock.known) holding.advance(this.#epoch);
    const { level, open } = this;
    if (isPaused) {
      this.allotment.setShare(NO_SHARE, clock.toLocal(this.#epoch * intervalMs), intervalMs, nowMs);
      // Whatever epochs begin and calls come before, nothing is granted.
      this.untilMs = pausedUntilMs;
      return;
    }
    const share = this.shareAt(nowMs, level);
    this.allotment.setShare(share, clock.toLocal(this.#epoch * intervalMs), intervalMs, nowMs);
    if (share.tokens !== this.#lastShare) {
      this.#lastShare = share.tokens;
      if (this.#events.has("share"))
        this.#events.emit("share", { epoch: this.#epoch, tokens: share.tokens, level, exact: holding.isExact });
      // A listener may have capped the level, changed the limit or stopped: that holds at once, and the next look tells
      // of it.
      if (this.level !== level || this.open !== open) {
        const now = this.shareAt(nowMs, this.level);
        this.allotment.setShare(now, clock.toLocal(this.#epoch * intervalMs), intervalMs, nowMs);
        this.untilMs = 0;
        return;
      }
    }
    // Without a call in this epoch the fast path stays closed: the first call must move the ramp.
    if (this.#activeEpoch !== this.#epoch || !this.open) this.untilMs = 0;
    else this.untilMs = Math.min(this.epochEndMs, nowMs < validUntilMs ? validUntilMs : this.#holdEndMs(nowMs));
  }

  /** The share at a level, now, by what the membership allows or, past its validity, by the `onStoreLost` policy. */
  shareAt(nowMs: number, level: number): Share {
    const { holding, answeredUntilMs, standing } = this.#membership;
    if (!this.open || standing === "fenced") return NO_SHARE;
    const capped = this.#cap <= level;
    if (this.valid(nowMs)) return holding.shareAt(level, this.#epoch, capped);
    const policy = this.#settings.onStoreLost;
    if (policy.type === "hold" && nowMs < answeredUntilMs + policy.forMs)
      return holding.shareAt(level, this.#epoch, capped);
    if (policy.type === "floor") return heldShare(Math.floor(level / policy.maxMembers), 0, 1);
    return NO_SHARE;
  }

  /**
   * Counts tokens of the last active epoch as unused after it has ended, unless the mode has judged it already; false
   * when it has.
   */
  countIdleLate(turn: number, tokens: number): boolean {
    if (turn !== this.#lastTurn || this.#activeEpoch === this.#epoch) return false;
    this.#lastUsed = Math.max(0, this.#lastUsed - tokens);
    return true;
  }

  /**
   * Begins a new epoch, if it is one. Until the store's clock is known, epochs are counted on the local clock. Epochs
   * never go back, whatever is learned about the store's clock, but for once: when it is known for the first time.
   */
  #turnTo(epoch: number, ofStore: boolean): void {
    const learnedClock = ofStore && !this.#epochOfStore;
    if (epoch <= this.#epoch && !learnedClock) return;
    if (this.#activeEpoch === this.#epoch) {
      this.#lastTurn = this.turn;
      this.#lastUsed = this.allotment.used;
      this.#lastOffered = Math.max(this.allotment.tokens, this.allotment.used, this.#evenPart());
      const most = Math.max(this.allotment.tokens, Math.min(this.#waterLevel(), this.level));
      if (this.#lastUsed > 0 && this.#lastUsed >= NEAR_LIMIT * most) this.nearLimit += 1;
    }
    this.#epochBefore = learnedClock ? Number.NEGATIVE_INFINITY : this.#epoch;
    this.#usedBefore = this.allotment.used;
    if (learnedClock && this.#activeEpoch !== undefined) this.#activeEpoch = epoch - 1;
    this.#epochOfStore = ofStore;
    this.#epoch = epoch;
    this.turn += 1;
    this.allotment.begin();
  }

  /**
   * What a mode takes for offered where the share follows demand: a share that was fitted to what was used would always
   * count as used.
   */
  #evenPart(): number {
    const { members } = this.#membership.holding;
    return this.#settings.shares === "demand" && members > 0 ? Math.floor(this.level / members) : 0;
  }

  /** What becomes of calls without a valid share: by `onStoreLost`; undefined while the share is valid. */
  storeLost(nowMs: number): "stop" | "hold" | "floor" | undefined {
    if (this.valid(nowMs)) return undefined;
    const { type } = this.#settings.onStoreLost;
    return type === "hold" && this.#holdEndMs(nowMs) === Number.POSITIVE_INFINITY ? "stop" : type;
  }

  /** When a share that is held past its validity ends, if one is. */
  #holdEndMs(nowMs: number): number {
    const policy = this.#settings.onStoreLost;
    const endMs = policy.type === "hold" ? this.#membership.answeredUntilMs + policy.forMs : 0;
    return nowMs < endMs ? endMs : Number.POSITIVE_INFINITY;
  }

  #levelNow(): Level {
    if (this.#activeEpoch === undefined || this.#activeEpoch === this.#epoch) return this.#level;
    const activity = { used: this.#lastUsed, offered: this.#lastOffered, elapsed: this.#epoch - this.#activeEpoch };
    return moved(this.#limit, this.#level, this.#settings.mode(activity));
  }
}
