import type { CoordinationStore, Demand, MemberView, Registration, Report, Use, View } from "@dt/core";
import { needOf, SLOT_INTERVAL_MS } from "@dt/core/ledger";
import type { CaseContext } from "../context.ts";
import { isMemberView, type Member } from "../member.ts";
import { Reference } from "./reference.ts";

/** What a schedule is made of. */
export interface ScheduleOptions {
  readonly max: number;
  readonly steps: number;
  readonly members: number;
  /** The members are those of a semaphore. Default false */
  readonly slots?: boolean;
}

interface Actor {
  readonly member: Member;
  readonly syncMs: number;
  /** Null for one that shares evenly. */
  want: number | null;
  view: MemberView | undefined;
  /** The generation that the ledger of core told it. */
  generation: number;
}

/** More than a case lets pass. */
const STALE_MS = 600_000;
const INTERVAL_MS = 2_000;
/** As a member has it, and one in a hurry. */
const SYNC_MS = [1_000, 1_000, 250.5];
/** Longer than a call takes. */
const AHEAD_MS = 1_000;
/** The longest time between two calls, and one in which members of a semaphore lose their places. */
const PAUSE_MS = 800;
const LONG_PAUSE_MS = 2_600;
/** The part of the calls before which so much time passes. */
const LONG_PAUSES = 0.03;

/**
 * Members come, go, want more and less and give tokens up, one call after the other, with the seed's chance; and every
 * answer is what the ledger of core gives at the same time.
 */
export async function randomSchedule(context: CaseContext, options: ScheduleOptions): Promise<void> {
  await new Schedule(context, await context.store(), options).run();
}

class Schedule {
  readonly #context: CaseContext;
  readonly #options: ScheduleOptions;
  readonly #reference = new Reference();
  readonly #store: CoordinationStore;
  readonly #group: string;
  readonly #actors: Actor[] = [];
  /** The group's time, as far as the members know it. */
  #timeMs = 0;
  #isJudged = false;

  constructor(context: CaseContext, store: CoordinationStore, options: ScheduleOptions) {
    this.#context = context;
    this.#options = options;
    this.#store = store;
    this.#group = context.group();
  }

  async run(): Promise<void> {
    await this.#begin();
    for (let step = 0; step < this.#options.steps; step++) await this.#step();
    const [shown, expected] = [
      await this.#store.inspect(this.#group),
      await this.#reference.store.inspect(this.#group),
    ].map(({ members }) => members.map(({ want, held }) => `${held} of ${want ?? "evenly"}`).join(" "));
    const what = "held and wants in the snapshot, by rank, as the ledger of core has them";
    this.#context.equal(shown, expected, what, this.#options.slots ? "R30" : "R21");
  }

  /** A first token becomes free in a new epoch, so that it does not matter what the store knows of the time before. */
  async #begin(): Promise<void> {
    const actor = this.#actor(this.#options.max);
    await this.#register(actor);
    this.#timeMs += actor.member.options.intervalMs;
    await this.#report(actor, { held: 0, use: this.#use(0) });
    this.#isJudged = true;
  }

  async #step(): Promise<void> {
    const { max, members } = this.#options;
    const chance = this.#context.random();
    if (this.#context.random() < 0.6) this.#timeMs += this.#context.random() * this.#context.ms(PAUSE_MS);
    if (this.#options.slots && this.#context.random() < LONG_PAUSES) this.#timeMs += LONG_PAUSE_MS;
    const actor = this.#actors[this.#below(this.#actors.length)];
    if (!actor || (chance < 0.25 && this.#actors.length < members)) {
      const claims = this.#context.random() < 0.1 ? { rejoin: true, claim: this.#below(max + 1) } : {};
      const sharesEvenly = !this.#options.slots && this.#context.random() < 0.2;
      return this.#register(this.#actor(sharesEvenly ? null : this.#want()), claims);
    }
    if (chance < 0.3) return this.#leave(actor);
    if (chance < 0.36) return this.#repeat(actor);
    if (chance < 0.7 && actor.want !== null) actor.want = this.#want();
    // From then on it shares evenly.
    if (chance > 0.98 && !this.#options.slots) actor.want = null;
    await this.#report(actor);
  }

  /** Keeps what it is due, now and then less; and says what it used, or nothing of that. */
  #report(actor: Actor, overrides: Partial<Report> = {}): Promise<void> {
    const { member } = actor;
    const kept = keptOf(actor);
    const held = this.#context.random() < 0.25 ? this.#below(kept + 1) : kept;
    const saysUse = this.#options.slots || this.#context.random() < 0.8;
    const use = saysUse ? { use: this.#use(this.#below(member.held + 1)) } : {};
    member.seq += 1;
    return this.#send(actor, member.report({ held, ...use, ...overrides }));
  }

  /** A report that was answered already, or one that is late. */
  #repeat(actor: Actor): Promise<void> {
    const seq = Math.max(1, actor.member.seq - this.#below(2));
    return this.#send(actor, actor.member.report({ seq, held: this.#below(actor.member.held + 1) }));
  }

  async #send(actor: Actor, report: Report): Promise<void> {
    const { ref } = actor.member;
    const request = { ...report, observedMs: this.#timeMs, ...this.#demand(actor, report.held) };
    const view = await this.#store.sync(this.#group, ref, request);
    const { generation } = actor;
    this.#take(
      actor,
      view,
      await this.#reference.at(view, (store) => store.sync(this.#group, ref, { ...request, generation })),
    );
  }

  async #register(actor: Actor, overrides: Partial<Registration> = {}): Promise<void> {
    actor.member.seq += 1;
    const registration = actor.member.registration({
      ...overrides,
      observedMs: this.#timeMs,
      ...this.#demand(actor, overrides.claim ?? 0),
    });
    const view = await this.#store.register(this.#group, registration);
    this.#actors.push(actor);
    this.#take(actor, view, await this.#reference.at(view, (store) => store.register(this.#group, registration)));
  }

  async #leave(actor: Actor): Promise<void> {
    const { member } = actor;
    this.#actors.splice(this.#actors.indexOf(actor), 1);
    member.seq += 1;
    // A farewell is answered no time: it happens at the one that it names, since the store has not come so far yet.
    this.#timeMs += this.#context.ms(AHEAD_MS);
    const use = this.#use(this.#below(member.held + 1));
    const farewell = { seq: member.seq, level: null, observedMs: this.#timeMs, use };
    await this.#store.deregister(this.#group, member.ref, farewell);
    await this.#reference.at({ storeTimeMs: this.#timeMs }, (store) =>
      store.deregister(this.#group, member.ref, farewell),
    );
  }

  #take(actor: Actor, view: View, expected: View): void {
    if (this.#isJudged) this.#reference.judge(this.#context, view, expected);
    this.#timeMs = Math.max(this.#timeMs, view.storeTimeMs);
    if (!isMemberView(view) || !isMemberView(expected)) return;
    actor.view = view;
    actor.generation = expected.generation;
    Object.assign(actor.member, {
      held: view.status === "agree" ? view.held : view.entitled,
      generation: view.generation,
      memberCount: view.members,
    });
  }

  #actor(want: number | null): Actor {
    const options = {
      max: this.#options.max,
      intervalMs: this.#options.slots ? SLOT_INTERVAL_MS : this.#context.ms(INTERVAL_MS),
      staleAfterMs: this.#context.ms(STALE_MS),
    };
    const syncMs = this.#context.ms(SYNC_MS[this.#below(SYNC_MS.length)] ?? INTERVAL_MS);
    const member = this.#context.member(this.#store, this.#group, options);
    return { member, syncMs, want, view: undefined, generation: 0 };
  }

  /** Nothing, a little, about as much as there is, or more. */
  #want(): number {
    const { max, members } = this.#options;
    const most = [0, 3, Math.ceil((2 * max) / members), 2 * max, 1_000_000_000][this.#below(5)] ?? 0;
    return this.#below(most + 1);
  }

  #demand({ want, syncMs }: Actor, held: number): { readonly demand?: Demand } {
    if (want === null) return {};
    if (!this.#options.slots) return { demand: { want, syncMs } };
    const waiting = this.#context.random() < 0.9 ? Math.max(0, want - held) : 0;
    // Now and then a caller that costs more than a member is due.
    const cost = this.#context.random() < 0.1 ? 1 + this.#below(this.#options.max) : 1;
    const slots = { waiting, head: Math.min(waiting, cost), tookOffer: this.#context.random() < 0.5 };
    return { demand: { want, syncMs, slots } };
  }

  #use(used: number): Use {
    // What members of a semaphore free was never in use.
    if (this.#options.slots) return { epoch: 0, used: 0 };
    return { epoch: Math.floor(this.#timeMs / this.#context.ms(INTERVAL_MS)), used };
  }

  #below(limit: number): number {
    return Math.floor(this.#context.random() * limit);
  }
}

/** Where tokens are tight, what it is due. */
function keptOf({ member, want, view }: Actor): number {
  const demand = view?.demand;
  if (want === null || !demand?.tight) return member.held;
  return Math.min(member.held, needOf(demand, want) + demand.extra + (demand.odd ? 1 : 0));
}
