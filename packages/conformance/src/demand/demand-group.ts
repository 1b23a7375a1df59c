import type { DemandView, MemberView, Registration, Report } from "@dt/core";
import { needOf } from "@dt/core/ledger";
import type { CaseGroup } from "../case-group.ts";
import type { CaseContext } from "../context.ts";
import type { Member, MemberOptions } from "../member.ts";

/** Rounds of reports after which everybody has what it is due. */
const ROUNDS = 4;
/** How long the store may speak of hunger after it: so many sync intervals, and so much. */
const HUNGRY_SYNCS = 1.1;
const HUNGRY_MS = 200;

/**
 * A group whose members share by demand. Time passes in it because its members say so (R2: a group's time is at least
 * what they observed), so that no case waits, and however slow the store is.
 */
export class DemandGroup {
  readonly context: CaseContext;
  readonly group: CaseGroup;
  readonly options: MemberOptions;
  /** The sync interval of members that have no other. */
  readonly syncMs: number;
  /** The group's time, as far as its members know it. */
  timeMs = 0;

  constructor(context: CaseContext, group: CaseGroup, options: MemberOptions, syncMs: number) {
    this.context = context;
    this.group = group;
    this.options = options;
    this.syncMs = syncMs;
  }

  /** A member that has not registered yet. */
  demander(want: number, options: MemberOptions & { readonly syncMs?: number } = {}): Demander {
    const { syncMs = this.syncMs, ...rest } = options;
    return new Demander(this, this.group.member({ ...this.options, ...rest }), want, syncMs);
  }

  /** Members that want so much, who join one after the other. */
  async joined<const Wants extends readonly number[]>(...wants: Wants): Promise<{ [Place in keyof Wants]: Demander }> {
    const members = wants.map((want) => this.demander(want));
    for (const member of members) await member.join();
    return members as { [Place in keyof Wants]: Demander };
  }

  /** One that shares evenly. */
  async even(options: MemberOptions = {}): Promise<Member> {
    const member = this.group.member({ ...this.options, ...options });
    this.saw(await member.join({ observedMs: this.timeMs }));
    return member;
  }

  async beat(member: Member, overrides: Parameters<Member["beat"]>[0] = {}): Promise<MemberView> {
    const view = await member.beat({ observedMs: this.timeMs, ...overrides });
    this.saw(view);
    return view;
  }

  saw({ storeTimeMs }: Pick<MemberView, "storeTimeMs">): void {
    this.timeMs = Math.max(this.timeMs, storeTimeMs);
  }

  /** Lets the group's time pass, with the next request. */
  pass(ms: number): void {
    this.timeMs += ms;
  }

  /** Nobody knows any more that somebody got less than it needed. */
  forgetHunger(): void {
    this.pass(hungryForMs(this.syncMs) + 1);
  }

  /** Lets all report in turn until each has what it is due, and then until nobody counts as starving. */
  async settle(...members: readonly (Demander | Member)[]): Promise<void> {
    for (let round = 0; round < ROUNDS; round++) {
      if (round === ROUNDS - 1) this.forgetHunger();
      for (const member of members) await (member instanceof Demander ? member.beat() : this.beat(member));
    }
  }

  /** What an answer says of demand, the parts that are named. */
  shows(view: { readonly demand: DemandView }, expected: Partial<DemandView>, when: string): void {
    for (const [name, value] of Object.entries(expected))
      this.context.equal(view.demand[name as keyof DemandView], value, `demand.${name} ${when}`);
  }

  /** What members hold, in their order. */
  holds(members: readonly (Demander | Member)[], expected: readonly number[], when: string): void {
    const held = members.map((member) => (member instanceof Demander ? member.member.held : member.held));
    this.context.equal(held.join(" "), expected.join(" "), `what each may use ${when}`);
  }
}

/** A group that nobody has used, on the case's first store. */
export async function demandGroup(
  context: CaseContext,
  { syncMs = context.ms(10_000), ...options }: MemberOptions & { readonly syncMs?: number } = {},
): Promise<DemandGroup> {
  return new DemandGroup(context, await context.newGroup(), options, syncMs);
}

/** How long somebody with such a sync interval hears of hunger (R22). */
export function hungryForMs(syncMs: number): number {
  return HUNGRY_SYNCS * syncMs + HUNGRY_MS;
}

/** The answer to a member that shares by demand. */
export type DemandAnswer = MemberView & { readonly demand: DemandView };

/**
 * A member that shares by demand, as the contract sees it: where tokens are tight it gives up what it is not due
 * with its next report, and otherwise keeps everything.
 */
export class Demander {
  readonly member: Member;
  /** What its next request says. */
  want: number;
  syncMs: number;
  view: DemandAnswer | undefined;
  readonly #group: DemandGroup;

  constructor(group: DemandGroup, member: Member, want: number, syncMs: number) {
    this.#group = group;
    this.member = member;
    this.want = want;
    this.syncMs = syncMs;
  }

  get demand(): { readonly want: number; readonly syncMs: number } {
    return { want: this.want, syncMs: this.syncMs };
  }

  /** What it goes on with: what it is due where tokens are tight, and everything otherwise. */
  get kept(): number {
    const { held } = this.member;
    const demand = this.view?.demand;
    if (!demand?.tight) return held;
    return Math.min(held, needOf(demand, this.want) + demand.extra + (demand.odd ? 1 : 0));
  }

  async join(overrides: Partial<Registration> = {}): Promise<DemandAnswer> {
    const observedMs = this.#group.timeMs;
    return this.#take(await this.member.join({ demand: this.demand, observedMs, ...overrides }));
  }

  /** Reports, what it keeps unless that is said. */
  async beat(overrides: Partial<Report> = {}): Promise<DemandAnswer> {
    const { kept: held, demand } = this;
    return this.#take(await this.member.beat({ held, demand, observedMs: this.#group.timeMs, ...overrides }));
  }

  leave(): Promise<void> {
    return this.member.leave(null, { observedMs: this.#group.timeMs });
  }

  #take(view: MemberView): DemandAnswer {
    this.#group.saw(view);
    if (!view.demand) {
      const summary = `${this.member.ref.id} reported a want, and its answer has no demand`;
      return this.#group.context.fail(summary, "R22");
    }
    this.view = { ...view, demand: view.demand };
    return this.view;
  }
}
