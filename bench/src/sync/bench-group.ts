import { setImmediate as nextTurn } from "node:timers/promises";
import type { CoordinationStore, MemberView, View } from "@dt/core";

/** So long that nobody goes stale while thousands of others are measured. */
const staleAfterMs = 3_600_000;
/** Members of a group join this many at a time. */
const atOnce = 50;

interface BenchMember {
  readonly id: string;
  readonly incarnation: string;
  seq: number;
  generation: number;
  members: number;
  held: number;
}

/** A group did not come together in the time that it had. */
export class TooSlow extends Error {
  constructor(members: number, withinMs: number) {
    super(`${members} members did not register and agree within ${withinMs / 1_000} s`);
  }
}

/** A group of so many members that agree: what every group is most of the time. */
export class BenchGroup {
  readonly #store: CoordinationStore;
  readonly #name: string;
  readonly #max: number;
  readonly #withinMs: number;
  readonly #dueMs: number;
  readonly #members: readonly BenchMember[];
  #next = 0;

  private constructor(store: CoordinationStore, name: string, size: number, withinMs: number) {
    this.#store = store;
    this.#dueMs = performance.now() + withinMs;
    this.#withinMs = withinMs;
    this.#name = name;
    this.#max = size * 10;
    const member = (i: number): BenchMember => ({
      id: `member-${i}`,
      incarnation: `${i}-0123456789abcdef0123`,
      seq: 0,
      generation: 0,
      members: 0,
      held: 0,
    });
    this.#members = shuffled(Array.from({ length: size }, (_, i) => member(i)));
  }

  /**
   * Registers everybody and syncs until all agree.
   * @throws TooSlow when that takes longer than it may
   */
  static async populated(
    store: CoordinationStore,
    name: string,
    size: number,
    withinMs = Number.POSITIVE_INFINITY,
  ): Promise<BenchGroup> {
    const group = new BenchGroup(store, name, size, withinMs);
    await group.#each((member) => group.#register(member));
    // Once to learn of the last generation, once to report that it was adopted, once to be told that all agree: a store
    // records that.
    for (let pass = 0; pass < 3; pass++) await group.#each((member) => group.#sync(member));
    const view = await group.#sync(group.#members[0] as BenchMember);
    if (view.status !== "agree")
      throw new Error(`${name}: ${size} members do not agree after everybody synced three times`);
    return group;
  }

  /** So many syncs, one after the other, each by another member. */
  async sync(times: number): Promise<void> {
    for (let i = 0; i < times; i++) await this.#syncNext();
  }

  /** As {@link sync}; returns how long each took, in milliseconds. */
  async timedSyncs(times: number): Promise<number[]> {
    const tookMs: number[] = [];
    for (let i = 0; i < times; i++) {
      const startMs = performance.now();
      await this.#syncNext();
      tookMs.push(performance.now() - startMs);
    }
    return tookMs;
  }

  async #syncNext(): Promise<void> {
    await this.#sync(this.#members[this.#next] as BenchMember);
    this.#next = (this.#next + 1) % this.#members.length;
  }

  async #each(act: (member: BenchMember) => Promise<unknown>): Promise<void> {
    for (let i = 0; i < this.#members.length; i += atOnce) {
      if (performance.now() > this.#dueMs) throw new TooSlow(this.#members.length, this.#withinMs);
      await Promise.all(this.#members.slice(i, i + atOnce).map(act));
      await nextTurn();
    }
  }

  async #register(member: BenchMember): Promise<void> {
    const { id, incarnation } = member;
    member.seq += 1;
    const registration = {
      ...{ id, incarnation, seq: member.seq, rejoin: false, claim: 0, max: this.#max, level: this.#max },
      ...{ intervalMs: 1_000, staleAfterMs, learningMs: 0, resumeWithinMs: 0, observedMs: 0 },
    };
    this.#take(member, await this.#store.register(this.#name, registration));
  }

  async #sync(member: BenchMember): Promise<MemberView> {
    member.seq += 1;
    const { id, incarnation, seq, generation, members, held } = member;
    const report = { seq, generation, members, held, max: this.#max, level: this.#max };
    return this.#take(member, await this.#store.sync(this.#name, { id, incarnation }, report));
  }

  /** Does what a member does: adopts the generation, holds what it was given. */
  #take(member: BenchMember, view: View): MemberView {
    if (view.status !== "agree" && view.status !== "disagree")
      throw new Error(`${this.#name}: ${member.id} was answered "${view.status}"`);
    member.generation = view.generation;
    member.members = view.members;
    member.held = view.status === "agree" ? view.held : view.entitled;
    return view;
  }
}

/** In an order that has nothing to do with the order of joining, and is the same every time (a multiplicative hash). */
function shuffled<T>(items: readonly T[]): T[] {
  const place = (i: number): number => Math.imul(i + 1, 2_654_435_761) >>> 0;
  return items
    .map((item, i) => ({ item, at: place(i) }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
