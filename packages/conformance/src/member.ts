import type { CoordinationStore, Farewell, MemberRef, MemberView, Registration, Report, View } from "@dt/core";
import type { Rule } from "./rules.ts";

/** How a member of a case is configured; the defaults are those of {@link Member}. */
export interface MemberOptions {
  readonly id?: string;
  readonly incarnation?: string;
  readonly max?: number;
  readonly intervalMs?: number;
  readonly staleAfterMs?: number;
  readonly learningMs?: number;
  readonly level?: number | null;
  readonly resumeWithinMs?: number;
  /** True for a member whose limit lives in the store (R36): each request has `stored`, unless it says otherwise. */
  readonly stored?: true;
}

type Configured = Required<Omit<MemberOptions, "id" | "incarnation" | "stored">> & Pick<MemberOptions, "stored">;

/** True for the answer to a member. */
export function isMemberView(view: View): view is MemberView {
  return view.status === "agree" || view.status === "disagree";
}

/** Throws as a breach of the rule. */
export type Fail = (rule: Rule, summary: string) => never;

/**
 * A member as the contract sees it: it numbers its requests, adopts each new generation at its next report, and then
 * reports no more than it is entitled to. Every part of a request can be overridden, which is how cases misbehave.
 */
export class Member {
  readonly ref: MemberRef;
  readonly group: string;
  readonly options: Configured;
  store: CoordinationStore;
  seq = 0;
  /** What it uses, as its next report says. */
  held = 0;
  generation = 0;
  members = 0;
  observedMs = 0;
  readonly #fail: Fail;

  constructor(store: CoordinationStore, group: string, ref: MemberRef, options: Configured, fail: Fail) {
    this.store = store;
    this.group = group;
    this.ref = ref;
    this.options = options;
    this.#fail = fail;
  }

  /** Registers, whatever the answer. */
  async register(overrides: Partial<Registration> = {}, signal?: AbortSignal): Promise<View> {
    this.seq += 1;
    const view = await this.store.register(this.group, this.registration(overrides), signal);
    this.#take(view);
    return view;
  }

  /** Registers and must become a member. */
  async join(overrides: Partial<Registration> = {}): Promise<MemberView> {
    return this.#accepted("register", await this.register(overrides));
  }

  /** Reports, whatever the answer. */
  async sync(overrides: Partial<Report> = {}, signal?: AbortSignal): Promise<View> {
    this.seq += 1;
    const view = await this.store.sync(this.group, this.ref, this.report(overrides), signal);
    this.#take(view);
    return view;
  }

  /** Reports and must still be a member. */
  async beat(overrides: Partial<Report> = {}): Promise<MemberView> {
    return this.#accepted("sync", await this.sync(overrides));
  }

  leave(level: number | null = null, overrides: Partial<Farewell> = {}): Promise<void> {
    this.seq += 1;
    return this.store.deregister(this.group, this.ref, { seq: this.seq, level, ...overrides });
  }

  /** What `register` would send now. */
  registration(overrides: Partial<Registration> = {}): Registration {
    const base = { ...this.ref, ...this.options, seq: this.seq, rejoin: false, claim: 0, observedMs: 0 };
    return { ...base, ...overrides };
  }

  /** What `sync` would send now. */
  report(overrides: Partial<Report> = {}): Report {
    const { seq, generation, members, held } = this;
    const { max, level, stored } = this.options;
    return { seq, generation, members, held, max, level, ...(stored && { stored }), ...overrides };
  }

  #take(view: View): void {
    this.observedMs = Math.max(this.observedMs, view.storeTimeMs);
    if (!isMemberView(view)) return;
    this.generation = view.generation;
    this.members = view.members;
    this.held = view.status === "agree" ? view.held : view.entitled;
  }

  #accepted(call: string, view: View): MemberView {
    if (isMemberView(view)) return view;
    return this.#fail(
      "R3",
      `${call} of member ${JSON.stringify(this.ref.id)} was answered ${view.status}, and it is a member`,
    );
  }
}
