import type { Events } from "../internal/events.ts";
import { Tally } from "../internal/tally.ts";
import { fencedError } from "../throttle/errors.ts";
import { Asking } from "./asking.ts";
import { lostError } from "./errors.ts";
import { type SemaphoreEvents, semaphoreEvents } from "./events.ts";
import { Lifecycle } from "./lifecycle.ts";
import { LimitWatch } from "./limit-watch.ts";
import { OpenSlots } from "./open-slots.ts";
import type { SemaphoreSettings } from "./settings.ts";
import { SlotMember } from "./slot-member.ts";
import { SlotQueue } from "./slot-queue.ts";
import type { SlotShare } from "./slot-share.ts";
import { type WhyNot, whyNot } from "./why-not.ts";

/** What a semaphore is made of. */
export class Parts {
  readonly settings: SemaphoreSettings;
  readonly events: Events<SemaphoreEvents>;
  readonly tally: Tally;
  readonly watch: LimitWatch;
  readonly member: SlotMember;
  readonly share: SlotShare;
  readonly open: OpenSlots;
  readonly queue: SlotQueue;
  readonly life: Lifecycle;
  readonly asking: Asking;

  constructor(settings: SemaphoreSettings) {
    const { name, memberId } = settings;
    this.settings = settings;
    this.events = semaphoreEvents(name, memberId);
    this.tally = new Tally(this.events.topic("decided"));
    this.member = new SlotMember(settings, this.events, {
      head: () => this.queue.head,
      joined: () => this.life.joined(),
      sent: (want) => this.watch.sent(want, this.queue.size > 0),
      answered: (nowMs) => this.watch.answered(nowMs, this.queue.size > 0),
      serve: (nowMs) => this.queue.serve(nowMs),
      lost: (why) => this.open.loseAll(lostError(name, why)),
      failed: (error) => {
        if (this.life.state !== "starting") this.queue.failAll(error);
      },
      fenced: () => this.queue.failAll(fencedError(memberId)),
    });
    this.share = this.member.share;
    this.watch = new LimitWatch(this.member, this.tally);
    this.open = new OpenSlots(settings, this.share, this.events);
    const why = (): WhyNot => whyNot(this.member, settings.runtime.now());
    this.queue = new SlotQueue(settings, this.share, this.open, this.events, this.tally, why);
    this.life = new Lifecycle(this);
    this.asking = new Asking(this);
    this.open.look = (nowMs) => this.member.validity.look(nowMs);
    this.open.onReleased = (nowMs) => this.#released(nowMs);
    this.queue.look = (nowMs) => this.member.lookForSleep(nowMs);
    this.queue.onEmpty = () => this.life.look();
  }

  #released(nowMs: number): void {
    if (this.queue.size > 0) this.queue.serve(nowMs);
    this.member.released(nowMs);
    this.life.look();
  }
}
