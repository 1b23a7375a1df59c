import type { LimitTarget, MemberView, Registration, Report } from "@dt/core";
import type { Store } from "@dt/core/store";
import { failure } from "@dt-tooling/backends/failure";
import { describe, expect, it } from "vitest";
import { accepted, adopting, newcomer } from "../../requests.ts";

/** What is done behind the store's back. */
export interface BehindTheStore {
  /** Writes a text in the place of the limit record of a group. */
  spoilLimit(group: string, text: string): Promise<unknown>;
}

let groups = 0;

/** A member of a group that adopts what it is answered. */
class Member {
  readonly #store: Store;
  readonly #group: string;
  readonly #registration: Registration;
  #view: MemberView | undefined;
  #seq = 1;

  constructor(store: Store, group: string, max: number, stored: boolean) {
    this.#store = store;
    this.#group = group;
    this.#registration = newcomer({ max, ...(stored && { stored }) });
  }

  async join(): Promise<number> {
    this.#view = accepted(await this.#store.register(this.#group, this.#registration));
    return this.#view.capacity;
  }

  /** The capacity that it is answered. */
  async sync(overrides: Partial<Report> = {}): Promise<number> {
    this.#seq += 1;
    const { max, stored } = this.#registration;
    const report = adopting(this.#view as MemberView, this.#seq, { max, ...(stored && { stored }), ...overrides });
    this.#view = accepted(await this.#store.sync(this.#group, this.#registration, report));
    return this.#view.capacity;
  }

  leave(): Promise<void> {
    return this.#store.deregister(this.#group, this.#registration, { seq: this.#seq + 1, level: null });
  }
}

/**
 * Groups whose members have a stored limit (R36), in a store that answers heartbeats without its ledger.
 * @param open a store; each has members of its own
 */
export function testStoredGroups(open: () => Store, behind: () => BehindTheStore): void {
  const world = (): { group: string; target: LimitTarget; stores: readonly [Store, Store] } => {
    groups += 1;
    const group = `stored ${groups}`;
    return { group, target: { kind: "group", name: group }, stores: [open(), open()] };
  };
  const to = (max: number) => ({ values: { max }, by: "ann" });

  describe("a group with a stored limit", () => {
    it("has it from the next sync of each member, also of one whose heartbeats bring nothing new", async () => {
      const { group, target, stores } = world();
      await using one = stores[0];
      await using other = stores[1];
      const [a, b] = [new Member(one, group, 100, true), new Member(other, group, 300, true)];
      expect([await a.join(), await b.join()]).toEqual([100, 100]);
      const settle = async (): Promise<void> => {
        for (let i = 0; i < 3; i++) for (const member of [a, b]) await member.sync();
      };
      await settle();
      await one.setLimit(target, to(40));
      expect([await b.sync(), await a.sync()]).toEqual([40, 40]);
      await settle();
      await other.setLimit(target, to(400));
      expect([await a.sync(), await b.sync()]).toEqual([400, 400]);
      await settle();
      await one.setLimit(target, { values: undefined, by: "ann" });
      expect([await b.sync(), await a.sync()]).toEqual([300, 300]);
      expect((await other.inspect(group)).stored).toEqual({ revision: -3, values: { max: 300 } });
    });

    it("whose time is over has the code's again", async () => {
      const { group, target, stores } = world();
      await using one = stores[0];
      await using other = stores[1];
      const member = new Member(one, group, 100, true);
      await other.setLimit(target, { ...to(40), forMs: 300 });
      expect(await member.join()).toBe(40);
      await expect.poll(async () => (await other.readLimit(target))?.inForce).toBe(false);
      expect(await member.sync()).toBe(100);
    });

    it("has the smaller of it and of what members without stored declare, and loses the copy with its last", async () => {
      const { group, target, stores } = world();
      await using one = stores[0];
      await using other = stores[1];
      await one.setLimit(target, to(60));
      const [a, b] = [new Member(one, group, 100, true), new Member(other, group, 80, false)];
      expect([await a.join(), await b.join()]).toEqual([60, 60]);
      expect((await one.inspect(group)).members.map(({ max }) => max).sort()).toEqual([80, null]);
      await a.sync();
      await one.setLimit(target, to(90));
      expect([await b.sync(), await a.sync(), await b.sync()]).toEqual([60, 80, 80]);
      await a.leave();
      expect(await b.sync()).toBe(80);
      const { stored, capacity } = await one.inspect(group);
      expect([stored, capacity]).toEqual([undefined, 80]);
      await one.repair(group, { reset: true });
      expect(await one.readLimit(target)).toMatchObject({ revision: 2, values: { max: 90 } });
    });

    it("refuses requests that have it while the record is damaged, and goes on when it is set anew", async () => {
      const { group, target, stores } = world();
      await using one = stores[0];
      await using other = stores[1];
      await one.setLimit(target, to(60));
      const [a, b] = [new Member(one, group, 100, true), new Member(other, group, 80, false)];
      await a.join();
      await b.join();
      for (const text of ['["l1",1,"{}",null,"[]"]', "nonsense"]) {
        await behind().spoilLimit(group, text);
        expect((await failure(a.sync())).code).toBe("DT_STORE_DATA");
        expect((await failure(new Member(other, group, 100, true).join())).code).toBe("DT_STORE_DATA");
      }
      expect(await b.sync()).toBe(60);
      expect((await one.inspect(group)).memberCount).toBe(2);
      await one.setLimit(target, to(50));
      expect(await a.sync()).toBe(50);
    });
  });
}
