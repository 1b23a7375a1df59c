import type { MemberView, Registration, SlotHint } from "@dt/core";
import { until } from "@dt-tooling/backends";
import { accepted, newcomer } from "@dt-tooling/simulator/requests";
import type { RedisStore } from "../../src/index.ts";

/** A member of the semaphore "g", or of another one, which reports what the test says. */
export class SlotMember {
  readonly registration: Registration;
  readonly hints: (SlotHint | undefined)[] = [];
  readonly #store: RedisStore;
  readonly #group: string;
  #seq = 1;
  #generation = 0;

  constructor(store: RedisStore, overrides: Partial<Registration> = {}, group = "g") {
    this.#store = store;
    this.#group = group;
    const demand = { want: 0, syncMs: 1_000, slots: { waiting: 0, head: 0, tookOffer: false } };
    this.registration = newcomer({ intervalMs: 1, max: 2, staleAfterMs: 60_000, demand, ...overrides });
  }

  /** Joins, and listens to its hints. */
  static async join(store: RedisStore, overrides: Partial<Registration> = {}, group = "g"): Promise<SlotMember> {
    const member = new SlotMember(store, overrides, group);
    await member.register();
    await store.onSlotHint?.(group, member.registration, (hint) => member.hints.push(hint));
    return member;
  }

  get seq(): number {
    return this.#seq;
  }

  async register(): Promise<void> {
    this.#generation = accepted(await this.#store.register(this.#group, this.registration)).generation;
  }

  async report(held: number, waiting: number, tookOffer = false): Promise<MemberView> {
    const { max } = this.registration;
    const demand = { want: held + waiting, syncMs: 1_000, slots: { waiting, head: Math.min(waiting, 1), tookOffer } };
    const report = { seq: ++this.#seq, generation: this.#generation, members: 0, held, max, level: null, demand };
    return accepted(await this.#store.sync(this.#group, this.registration, report));
  }

  leave(): Promise<void> {
    return this.#store.deregister(this.#group, this.registration, { seq: ++this.#seq, level: null });
  }

  /** The next hint, or the one that is there, which is then forgotten. */
  async hinted(): Promise<SlotHint | undefined> {
    await until("a hint came", 15_000, () => this.hints.length > 0);
    return this.hints.shift();
  }
}
