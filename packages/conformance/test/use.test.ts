import { MemoryStore, type Registration, type View } from "@dt/core";
import { describe, expect, it } from "vitest";
import type { Violation } from "../src/invariants.ts";
import { Member } from "../src/member.ts";
import { GroupUse } from "../src/use/group-use.ts";
import { saidToJoin, saidToLeave, saidToStay } from "../src/use/said.ts";

/** The store's clock is in the first epoch for as long as the tests run. */
const INTERVAL_MS = 1e12;

/** Two members of a store, whose answers are shown to the bound as they are, or changed. */
class Watched {
  readonly broken: Violation[] = [];
  readonly #use = new GroupUse(0, () => 0);
  readonly #store = new MemoryStore();

  member(id: string, max = 100): Member {
    const options = { max, intervalMs: INTERVAL_MS, staleAfterMs: 1e6, learningMs: 0, level: null, resumeWithinMs: 0 };
    const fail = (rule: string, summary: string): never => {
      throw new Error(`${rule}: ${summary}`);
    };
    return new Member(this.#store, "g", { id, incarnation: id }, options, fail);
  }

  register(member: Member, claims: Partial<Registration> = {}, change: object = {}): Promise<View> {
    const registration = { ...member.registration(claims), seq: ++member.seq };
    return this.#watch(saidToJoin(registration), change, () => this.#store.register("g", registration));
  }

  sync(member: Member, held: number, change: object = {}, said: object = {}): Promise<View> {
    const report = { ...member.report({ held }), seq: ++member.seq, ...said };
    return this.#watch(saidToStay(member.ref, report), change, () => this.#store.sync("g", member.ref, report));
  }

  /** Shows the bound an offer of so much, which names a request of the member. */
  offer(member: Member, held: number, seq = member.seq): void {
    const violation = this.#use.offered(member.ref.incarnation, {
      kind: "offer",
      held,
      seq,
      waterLevel: 50,
      wanted: false,
    });
    if (violation) this.broken.push(violation);
  }

  async leave(member: Member): Promise<void> {
    const farewell = { seq: ++member.seq, level: null };
    const leave = async (): Promise<undefined> => void (await this.#store.deregister("g", member.ref, farewell));
    await this.#use.watch(
      saidToLeave(member.ref, farewell) as NonNullable<ReturnType<typeof saidToLeave>>,
      leave,
      () => {},
    );
  }

  #watch(said: ReturnType<typeof saidToJoin>, change: object, ask: () => Promise<View>): Promise<View> {
    if (!said) throw new Error("malformed");
    const answer = async (): Promise<View> => ({ ...(await ask()), ...change }) as View;
    return this.#use.watch(said, answer, (violation) => this.broken.push(violation));
  }
}

async function pair(): Promise<{ watched: Watched; a: Member; b: Member }> {
  const watched = new Watched();
  const [a, b] = [watched.member("a"), watched.member("b")];
  await watched.register(a);
  await watched.register(b);
  return { watched, a, b };
}

describe("what all members may use of an epoch, added up from what they ask and are answered,", () => {
  it("is never more than the capacity where a store keeps the rules", async () => {
    const { watched, a, b } = await pair();
    await watched.sync(a, 50, {}, { use: { epoch: 0, used: 70 } });
    await watched.sync(b, 0);
    await watched.sync(b, 10);
    await watched.sync(a, 50);
    await watched.leave(a);
    await watched.sync(b, 50);
    expect(watched.broken).toEqual([]);
  });

  it("is too much when an answer gives what somebody else still holds", async () => {
    const { watched, b } = await pair();
    await watched.sync(b, 0, { held: 10, entitled: 10 });
    expect(watched.broken[0]?.rule).toBe("R7");
    expect(watched.broken[0]?.summary).toContain("all members together may use 110 of it where the capacity is 100");
  });

  it("is too much when tokens start in an epoch in which they were used", async () => {
    const { watched, a, b } = await pair();
    await watched.sync(a, 50, {}, { use: { epoch: 0, used: 70 } });
    await watched.sync(b, 0, { early: 31 });
    expect(watched.broken[0]?.rule).toBe("R20");
    expect(watched.broken[0]?.summary).toContain("all members together may use 101 of it where the capacity is 100");
  });

  it("is too much when a larger capacity may be used in the epoch in which it grew", async () => {
    const { watched, a, b } = await pair();
    await watched.sync(a, 50, {}, { use: { epoch: 0, used: 0 }, max: 100 });
    await watched.sync(b, 0);
    await watched.sync(a, 50, {}, { max: 140 });
    const grown = { capacity: 140, held: 70, entitled: 70 };
    await watched.sync(b, 50, { ...grown, early: 20, fromEpoch: 1 }, { max: 140 });
    expect(watched.broken[0]?.rule).toBe("R20");
    expect(watched.broken[0]?.summary).toContain("all members together may use 120 of it where the capacity is 100");
  });

  it("is not known of an epoch in which one joins again that is on record no more", async () => {
    const { watched, a, b } = await pair();
    await watched.sync(a, 50, {}, { use: { epoch: 0, used: 0 } });
    const back = watched.member("c");
    await watched.register(back, { rejoin: true, claim: 10 });
    await watched.sync(b, 0, { early: 5, fromEpoch: 1 });
    expect(watched.broken[0]?.summary).toContain("one that joined again may have used what is on no record");
  });
});

describe("an offer to a member of a semaphore", () => {
  const queued = { demand: { want: 100, syncMs: 1_000, slots: { waiting: 100, head: 1, tookOffer: false } } };

  it("counts by the request that it names, as what others gave up is counted from when it is sent", async () => {
    const { watched, a, b } = await pair();
    await watched.sync(a, 50, {}, { use: { epoch: 0, used: 0 } });
    watched.offer(b, 50);
    watched.offer(b, 50);
    expect(watched.broken).toEqual([]);
    watched.offer(b, 51);
    expect(watched.broken[0]).toMatchObject({
      rule: "R30",
      summary: "51 slots are offered to b, so that all members together may use 101 where the capacity is 100",
    });
  });

  it("counts no more once its member has sent another request", async () => {
    const { watched, a, b } = await pair();
    await watched.sync(b, 0);
    watched.offer(b, 50, b.seq - 1);
    await watched.sync(a, 60, {}, { use: { epoch: 0, used: 0 } });
    expect(watched.broken).toEqual([]);
  });

  it("stays in use after an answer to the request that it names, which is older", async () => {
    const { watched, a, b } = await pair();
    const view = { held: 0, entitled: 0, early: 0, demand: { ...queued.demand, slots: {} } };
    await watched.sync(a, 60, {}, { use: { epoch: 0, used: 0 } });
    const answered = watched.sync(b, 0, view, { use: { epoch: 0, used: 0 } });
    watched.offer(b, 40);
    await answered;
    await watched.sync(a, 60, { held: 61, entitled: 61, early: 0 }, { use: { epoch: 0, used: 0 } });
    expect(watched.broken[0]?.summary).toContain("all members together may use 101 of it");
  });

  it("is wrong where it names a request that was not sent", async () => {
    const { watched, b } = await pair();
    watched.offer(b, 1, b.seq + 1);
    expect(watched.broken[0]).toMatchObject({
      rule: "R30",
      summary: "an offer to b names its request 2, and its last one is 1",
    });
  });

  it("is within the capacity of the time when its member last asked, and with what others claimed since", async () => {
    const { watched, a, b } = await pair();
    await watched.sync(a, 60, {}, { use: { epoch: 0, used: 0 } });
    await watched.sync(a, 60, {}, { max: 70, use: { epoch: 0, used: 0 } });
    const back = watched.member("c");
    await watched.register(back, { rejoin: true, claim: 10 });
    watched.offer(b, 40);
    expect(watched.broken).toEqual([]);
  });

  it("that an answer has while too much is held is not used until no more is held than there is", async () => {
    const { watched, a, b } = await pair();
    await watched.sync(a, 50, {}, { use: { epoch: 0, used: 0 } });
    await watched.register(watched.member("c"), { rejoin: true, claim: 60 });
    const slots = { over: true, wanted: false, place: 0, turns: 0 };
    const raised = { held: 50, entitled: 33, early: 0, demand: { ...queued.demand, slots } };
    await watched.sync(b, 0, raised, { use: { epoch: 0, used: 0 } });
    expect(watched.broken).toEqual([]);
    const over = { ...raised, demand: { ...queued.demand, slots: { ...slots, over: false } } };
    await watched.sync(b, 0, over, { use: { epoch: 0, used: 0 } });
    expect(watched.broken[0]?.rule).toBe("R7");
  });
});
