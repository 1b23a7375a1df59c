import { Membership } from "../consensus/membership.ts";
import { DemandTracker } from "../demand/demand-tracker.ts";
import type { Events } from "../internal/events.ts";
import { Tally } from "../internal/tally.ts";
import { Allowance } from "./allowance.ts";
import { Asking } from "./asking.ts";
import { BlockedWatch } from "./blocked-watch.ts";
import { fencedError } from "./errors.ts";
import { type ThrottleEvents, throttleEvents } from "./events.ts";
import { Grants } from "./grants.ts";
import type { ReplacedThrottle } from "./joint-allotment.ts";
import { Lifecycle, type ReplacedLife } from "./lifecycle.ts";
import type { ThrottleSettings } from "./settings.ts";
import { TokenQueue } from "./token-queue.ts";

/** What a throttle is made of. */
export class Parts {
  readonly settings: ThrottleSettings;
  readonly events: Events<ThrottleEvents>;
  readonly tally: Tally;
  readonly membership: Membership;
  readonly allowance: Allowance;
  readonly demand: DemandTracker | undefined;
  readonly queue: TokenQueue;
  readonly watch: BlockedWatch;
  readonly grants: Grants;
  readonly life: Lifecycle;
  readonly asking: Asking;
  /** The throttle of the limit that this one replaces. */
  readonly replaced: (ReplacedThrottle & ReplacedLife) | undefined;
  /** True once the status was read: it is read now and then. */
  asksWhy = false;

  constructor(settings: ThrottleSettings, replaced: (ReplacedThrottle & ReplacedLife) | undefined) {
    const { name, memberId, incarnation, runtime, onStoreLost } = settings;
    this.settings = settings;
    this.replaced = replaced;
    this.events = throttleEvents(name, memberId);
    this.tally = new Tally(this.events.topic("decided"));
    this.demand = settings.shares === "demand" ? this.#tracker() : undefined;
    this.membership = new Membership(
      { ...settings, group: name, member: { id: memberId, incarnation }, policy: onStoreLost.type },
      {
        events: this.events,
        demand: this.demand,
        declare: () => ({
          max: this.allowance.code.max,
          ...(settings.stored && { stored: true }),
          level: this.allowance.declaredLevel,
        }),
        use: () => this.allowance.use,
        activity: () => this.queue.activity,
        spent: (use, tokens) => this.allowance.discharge(use, tokens),
        changed: () => this.#shareChanged(),
        asksWhy: () => this.asksWhy || this.queue.size > 0 || this.watch.observed,
        lowered: () => {
          this.allowance.untilMs = 0;
        },
        begunMs: () => this.allowance.begunMs,
        resume: (level) => this.allowance.resume(level),
      },
    );
    this.allowance = new Allowance(
      settings,
      this.membership,
      this.events,
      replaced,
      () => this.demand?.waterLevel ?? 0,
    );
    this.watch = new BlockedWatch(this.events, this.allowance, () => ({
      settings,
      state: this.life.state,
      startError: this.life.startError,
      membership: this.membership,
      allowance: this.allowance,
    }));
    this.queue = new TokenQueue(
      settings,
      this.allowance,
      this.membership,
      this.events,
      this.watch,
      this.tally,
      this.demand,
    );
    this.grants = new Grants(runtime, this.allowance, this.queue, this.events);
    this.queue.onGivenUp = (part) => void this.grants.takeBack(part);
    this.life = new Lifecycle({ ...this, replaced });
    this.asking = new Asking(this);
  }

  #tracker(): DemandTracker {
    const { runtime, intervalMs, syncIntervalMs, store } = this.settings;
    return new DemandTracker({
      runtime,
      intervalMs,
      syncIntervalMs,
      calm: store.capabilities.demandMembers !== undefined,
      waiting: () => this.queue.cost,
      cappedAt: () => (this.allowance.cap === this.allowance.level ? this.allowance.cap : undefined),
      scale: () => scaleOf(this.allowance.level, this.membership.holding.capacity),
      held: () => this.membership.holding.held,
      epochEndMs: () => this.allowance.endOfEpochAt(runtime.now()),
      reportAfter: (ms) => this.membership.syncSoon(0, ms),
    });
  }

  /** The membership has news: look again at the next grant, now if a caller waits. */
  #shareChanged(): void {
    const from = this.allowance.limit.max;
    this.allowance.untilMs = 0;
    if (this.allowance.followStore() && this.events.has("limitChanged"))
      this.events.emit("limitChanged", { from, to: this.allowance.limit.max });
    if (this.membership.standing === "fenced") this.queue.failAll(fencedError(this.settings.memberId));
    else if (this.queue.size > 0) this.queue.serve();
  }
}

/** Tokens of a capacity that it takes to grant one at a level. */
function scaleOf(level: number, capacity: number): number {
  return level > 0 && level < capacity ? capacity / level : 1;
}
