import type { DemandView, MemberView, Registration, Report } from "@dt/core";
import { needOf } from "@dt/core/ledger";
import type { Member } from "../member.ts";
import type { DemandGroup } from "./demand-group.ts";

/** The answer to a member that shares by demand. */
export type DemandAnswer = MemberView & { readonly demand: DemandView };

/**
 * A processor that shares by demand, as the contract sees it: where tokens are tight it gives up what it is not due
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
      const summary = `${this.member.ref.id} said what it wants, and was not answered what it is due (demand is missing)`;
      return this.#group.context.fail(summary, "R22");
    }
    this.view = { ...view, demand: view.demand };
    return this.view;
  }
}
