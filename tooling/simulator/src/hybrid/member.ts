import type { CoordinationStore, MemberView, Registration, Report, View } from "@dt/core";
import { expect } from "vitest";

/**
 * A member as the contract sees it: numbers its requests, adopts what it is told, holds no more than it is entitled
 * to.
 */
export class Member {
  readonly id: string;
  readonly #store: CoordinationStore;
  readonly #group: string;
  readonly #options: Partial<Registration>;
  seq = 0;
  held = 0;
  generation = 0;
  members = 0;

  constructor(store: CoordinationStore, group: string, id: string, options: Partial<Registration> = {}) {
    this.#store = store;
    this.#group = group;
    this.id = id;
    this.#options = options;
  }

  get ref(): { readonly id: string; readonly incarnation: string } {
    return { id: this.id, incarnation: `${this.id}-boot` };
  }

  async register(overrides: Partial<Registration> = {}): Promise<View> {
    this.seq += 1;
    return this.#take(await this.#store.register(this.#group, this.registration(overrides)));
  }

  async sync(overrides: Partial<Report> = {}): Promise<View> {
    this.seq += 1;
    return this.#take(await this.#store.sync(this.#group, this.ref, this.report(overrides)));
  }

  /** Registers and must be a member. */
  async join(): Promise<MemberView> {
    return memberView(await this.register());
  }

  /** Reports and must be a member. */
  async beat(overrides: Partial<Report> = {}): Promise<MemberView> {
    return memberView(await this.sync(overrides));
  }

  leave(): Promise<void> {
    this.seq += 1;
    return this.#store.deregister(this.#group, this.ref, { seq: this.seq, level: null });
  }

  registration(overrides: Partial<Registration> = {}): Registration {
    const defaults = {
      ...{ rejoin: false, claim: 0, max: 100, intervalMs: 1_000, staleAfterMs: 10_000, learningMs: 0 },
      ...{ level: null, resumeWithinMs: 0, observedMs: 0 },
    };
    return { ...this.ref, ...defaults, ...this.#options, seq: this.seq, ...overrides };
  }

  report(overrides: Partial<Report> = {}): Report {
    const { seq, generation, members, held } = this;
    return { seq, generation, members, held, max: this.#options.max ?? 100, level: null, ...overrides };
  }

  #take(view: View): View {
    if (view.status === "agree" || view.status === "disagree") {
      const { generation, members, held, entitled } = view as MemberView;
      Object.assign(this, { generation, members, held: view.status === "agree" ? held : entitled });
    }
    return view;
  }
}

/** Lets members sync until all are answered `agree`. */
export async function agree(...members: readonly Member[]): Promise<readonly MemberView[]> {
  for (let round = 0; round < 4; round++) {
    const views: MemberView[] = [];
    for (const member of members) views.push(await member.beat());
    if (views.every(({ status }) => status === "agree")) return views;
  }
  throw new Error("the members do not agree");
}

function memberView(view: View): MemberView {
  expect(["agree", "disagree"]).toContain(view.status);
  return view as MemberView;
}
