import type { Demand, DemandView, MemberRef, MemberView, Registration, Report, SlotOffer, SlotView } from "@dt/core";
import { type Fail, isMemberView, type Member } from "../member.ts";

/** What a member needs of its group. */
export interface SlotScene {
  /** The group's time, as far as its members know it. */
  readonly timeMs: number;
  /** The sync interval of its members. */
  readonly syncMs: number;
  readonly fail: Fail;
  /** A request is sent. */
  step(): void;
  saw(view: MemberView): void;
}

/** The answer to a member of a semaphore. */
export type SlotAnswer = MemberView & { readonly demand: DemandView; readonly slots: SlotView };

/**
 * A member of a semaphore, as the contract sees it: it reports how many calls run or wait, and keeps what it holds
 * until a case says otherwise. A case hands it the offers that it is to take.
 */
export class SlotMember {
  readonly member: Member;
  /** Calls that run or wait for a slot. */
  callers: number;
  /** Slots that each of them takes. */
  cost = 1;
  /** What it holds, as its next report says. */
  held = 0;
  /** When it was last heard of, in the group's time. */
  heardMs = 0;
  /** The offer that it has counted since its last request. */
  #taken: Pick<SlotOffer, "held"> | undefined;
  readonly #group: SlotScene;

  constructor(group: SlotScene, member: Member, callers: number) {
    this.#group = group;
    this.member = member;
    this.callers = callers;
  }

  get ref(): MemberRef {
    return this.member.ref;
  }

  /** The number of its last request. */
  get seq(): number {
    return this.member.seq;
  }

  /** Counts an offer, unless it has sent a request since the one that the offer names. */
  take(offer: Pick<SlotOffer, "held" | "seq">): boolean {
    if (offer.seq !== this.seq) return false;
    this.held = Math.max(this.held, offer.held);
    this.#taken = offer;
    return true;
  }

  /** What a report says that keeps so much. */
  demand(held: number): Demand {
    const want = this.callers * this.cost;
    const waiting = this.cost * (this.callers - Math.min(this.callers, Math.floor(held / this.cost)));
    const slots = { waiting, head: Math.min(this.cost, waiting), tookOffer: this.#taken !== undefined };
    return { want, syncMs: this.#group.syncMs, slots };
  }

  /** What its next report says. Nothing that it frees was ever in use: it keeps what runs. */
  report(held = this.held, overrides: Partial<Report> = {}): Report {
    return this.member.report({ ...this.#said(held), held, use: { epoch: 0, used: held }, ...overrides });
  }

  async join(overrides: Partial<Registration> = {}): Promise<SlotAnswer> {
    this.#group.step();
    const said = this.#said(overrides.claim ?? 0);
    return this.#answered(await this.member.join({ ...said, ...overrides }));
  }

  /** Reports that it keeps so much, everything unless that is said, and must still be a member. */
  async beat(held = this.held, overrides: Partial<Report> = {}): Promise<SlotAnswer> {
    const view = await this.sync(held, overrides);
    return view ?? this.#group.fail("R3", `${this.ref.id} is a member no more`);
  }

  /** The same; undefined where it is a member no more. */
  async sync(held = this.held, overrides: Partial<Report> = {}): Promise<SlotAnswer | undefined> {
    this.#group.step();
    const report = this.report(held, { seq: this.seq + 1, ...overrides });
    this.held = Math.min(this.held, held);
    this.#taken = undefined;
    const view = await this.member.sync(report);
    return isMemberView(view) ? this.#answered(view) : undefined;
  }

  leave(): Promise<void> {
    this.#group.step();
    return this.member.leave(null, { observedMs: this.#group.timeMs, use: { epoch: 0, used: 0 } });
  }

  #said(held: number): Pick<Report, "demand" | "observedMs"> {
    return { demand: this.demand(held), observedMs: this.#group.timeMs };
  }

  #answered(view: MemberView): SlotAnswer {
    this.#group.saw(view);
    this.heardMs = view.storeTimeMs;
    // An offer may come before the answer to the request that it names.
    this.held = Math.max(view.held, this.#taken?.held ?? 0);
    const slots = view.demand?.slots;
    if (!view.demand || !slots)
      return this.#group.fail("R33", `${this.ref.id} reported slots, and its answer has no demand.slots`);
    return { ...view, demand: view.demand, slots };
  }
}
