import type { MemberView, Registration, SlotHint } from "@dt/core";
import { until } from "@dt-tooling/backends";
import { accepted, newcomer } from "@dt-tooling/simulator/requests";
import type { PostgresStore } from "../../src/index.ts";

/** What a member of a semaphore reports: what it keeps, and what its callers wait for. */
export interface SlotReport {
  readonly held: number;
  readonly waiting?: number;
  /** Slots that the first caller waits for. Default: 1 where one waits */
  readonly head?: number;
  /** Default: false */
  readonly tookOffer?: boolean;
}

/** A member of a semaphore as the store sees it: its requests, and the hints that it receives. */
export class SlotMember {
  readonly store: PostgresStore;
  readonly group: string;
  readonly registration: Registration;
  /** Undefined for a hint that says that others may have been missed. */
  readonly hints: (SlotHint | undefined)[] = [];
  stop: () => void = () => {};
  view: MemberView | undefined;
  #seq = 1;

  private constructor(store: PostgresStore, group: string, registration: Registration) {
    this.store = store;
    this.group = group;
    this.registration = registration;
  }

  /** A member that has joined, and listens where the store has hints. */
  static async join(store: PostgresStore, max: number, overrides: Partial<Registration> = {}, group = "g") {
    const demand = { want: 0, syncMs: 1_000, slots: { waiting: 0, head: 0, tookOffer: false } };
    const times = { intervalMs: 1, staleAfterMs: 60_000 };
    const member = new SlotMember(store, group, newcomer({ max, ...times, demand, ...overrides }));
    const listener = (hint: SlotHint | undefined): void => void member.hints.push(hint);
    if (store.onSlotHint) member.stop = await store.onSlotHint(group, member.registration, listener);
    member.view = accepted(await store.register(group, member.registration));
    return member;
  }

  /** The number of its last request. */
  get seq(): number {
    return this.#seq;
  }

  async report({ held, waiting = 0, head = waiting > 0 ? 1 : 0, tookOffer = false }: SlotReport): Promise<MemberView> {
    const { generation = 0, members = 0 } = this.view ?? {};
    const { incarnation, max } = this.registration;
    const demand = { want: held + waiting, syncMs: 1_000, slots: { waiting, head, tookOffer } };
    const report = { seq: ++this.#seq, generation, members, held, max, level: null, demand };
    const answer = await this.store.sync(this.group, { id: this.registration.id, incarnation }, report);
    this.view = accepted(answer);
    return this.view;
  }

  async leave(): Promise<void> {
    await this.store.deregister(this.group, this.registration, { seq: ++this.#seq, level: null });
  }

  /** Resolves when it has received so many hints. */
  async hinted(count: number): Promise<void> {
    await until(`${count} hints came`, 10_000, () => this.hints.length >= count);
  }
}
